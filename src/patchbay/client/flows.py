"""Flows over HTTP."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from patchbay.client.compat import build_export, compatible_flow_query, offset
from patchbay.client.flow_ownership import FlowOwnershipResolver
from patchbay.client.history import LocalHistory
from patchbay.client.service_adapter import ServiceAdapter
from patchbay.client.service_client import build_path
from patchbay.client.steps import StepCalls
from patchbay.domain.backend import Feature, ImportedFlow
from patchbay.domain.base import AppKey, EpochMs, ExecutionId, FlowId, FolderId, Json, JsonObject, UserId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.error_wire import from_wire
from patchbay.domain.errors import AppError, NotFound, NotSupported
from patchbay.domain.executions import FlowActivity
from patchbay.domain.flow_import import publish_draft
from patchbay.domain.flows import Flow, FlowExport, FlowFilter, FlowSettings
from patchbay.domain.paging import Page, PageRequest, read_all

_ALL = "/v1/flows"
_ONE = "/v1/flows/{id}"
MAX_ACTIVITY_IDS = 5_000
"""Max. flows whose activity one request asks for; the server rejects more than 10,000."""
MAX_FLOWS_READ = 1000
"""Max. flows that are searched for a filter that the server doesn't support."""


class FlowCalls(StepCalls):
    """Listing, creating, publishing, running, moving, and copying flows."""

    _adapter: ServiceAdapter
    _flow_ownership: FlowOwnershipResolver
    _history: LocalHistory

    async def list_flows(self, where: FlowFilter, page: PageRequest) -> Page[Flow]:
        if where.ids == ():  # a query without values would list all
            return Page(items=(), total=0, page=page.page, limit=page.limit)
        if await self._adapter.is_patchbay():
            return await self._adapter.page(Flow, _ALL, where.wire(), page)
        query = compatible_flow_query(where)
        if query is None:
            return Page(items=(), total=0, page=page.page, limit=page.limit)
        if where.app_key is not None:
            return await self._list_using_app(where.app_key, query, page)
        found = await self._adapter.page(Flow, _ALL, query, page)
        return found.model_copy(update={"items": await self._flow_ownership.resolved(found.items, where)})

    async def get_flow(self, flow_id: FlowId) -> Flow:
        flow = (await self._adapter.get(build_path(_ONE, id=flow_id))).one(Flow)
        (resolved,) = await self._flow_ownership.resolved((flow,))
        return resolved

    async def flow_activity(self, flow_ids: Sequence[FlowId]) -> tuple[FlowActivity, ...]:
        """For an Automatisch server, from the copy of its history."""
        if not await self._adapter.is_patchbay():
            return await self._history.activity(flow_ids)
        found: list[FlowActivity] = []
        for start in range(0, len(flow_ids) or 1, MAX_ACTIVITY_IDS):
            part = flow_ids[start : start + MAX_ACTIVITY_IDS]
            response = await self._adapter.service.send(
                "POST", _ALL + "/activity", {"flowIds": [*part]}, safe=True
            )
            found += response.many(FlowActivity)
        return tuple(found)

    async def create_flow(
        self, name: str | None = None, folder_id: FolderId | None = None, user_id: UserId | None = None
    ) -> Flow:
        """Automatisch servers choose the name of new flows and put them in no folder."""
        if name is not None or folder_id is not None:
            await self._adapter.require(Feature.EDIT_FLOWS)
        body = {"userId": user_id or await self._adapter.owner(), "name": name, "folderId": folder_id}
        body = {key: value for key, value in body.items() if value is not None}  # servers may reject nulls
        return await self._flow_ownership.whole(await self._adapter.send("POST", _ALL, body))

    async def update_flow(
        self, flow_id: FlowId, *, name: str | None = None, execution_interval: int | None = None
    ) -> Flow:
        body = {"name": name, "executionInterval": execution_interval}
        return await self._edit("PATCH", build_path(_ONE, id=flow_id), body)

    async def change_flow_settings(self, flow_id: FlowId, settings: FlowSettings) -> Flow:
        return await self._edit("PATCH", build_path(_ONE + "/settings", id=flow_id), settings.wire())

    async def pause_flow(self, flow_id: FlowId) -> Flow:
        return await self._edit("POST", build_path(_ONE + "/pause", id=flow_id))

    async def resume_flow(self, flow_id: FlowId) -> Flow:
        return await self._edit("POST", build_path(_ONE + "/resume", id=flow_id))

    async def move_flow(self, flow_id: FlowId, folder_id: FolderId | None) -> Flow:
        return await self._edit("PATCH", build_path(_ONE + "/folder", id=flow_id), {"folderId": folder_id})

    async def duplicate_flow(self, flow_id: FlowId) -> Flow:
        return await self._edit("POST", build_path(_ONE + "/duplicate", id=flow_id))

    async def delete_flow(self, flow_id: FlowId) -> Change:
        await self._adapter.send("DELETE", build_path(_ONE, id=flow_id), long_timeout=True)
        return Change(noun=ResourceType.FLOW, ids=(flow_id,), action="deleted")

    async def restore_flow(self, flow_id: FlowId) -> Flow:
        return await self._edit("POST", build_path(_ONE + "/restore", id=flow_id))

    async def import_flow(self, export: FlowExport) -> Flow:
        return await self._edit("POST", _ALL + "/import", export.wire())

    async def import_and_publish_flow(self, export: FlowExport) -> ImportedFlow:
        """In one request; in several for a server that imports every flow as a draft."""
        service = await self._adapter.require(Feature.EDIT_FLOWS)
        response = await service.send(
            "POST", _ALL + "/import", export.wire(), query={"publish": True}, long_timeout=True
        )
        flow = response.one(Flow)
        if flow.active:
            return ImportedFlow(flow)
        failure = response.meta.get("notPublished")
        if (error := from_wire(failure) if isinstance(failure, dict) else None) is not None:
            return ImportedFlow(flow, error)
        try:
            return ImportedFlow(await publish_draft(self, flow))
        except AppError as error:
            return ImportedFlow(flow, error)

    async def import_and_publish_flows(
        self, exports: Sequence[FlowExport], *, use_accounts: bool = False, copy: bool = False
    ) -> tuple[Flow, ...]:
        """In one request. Raises `NotSupported` for a server that can't do it; nothing is imported then."""
        try:
            service = await self._adapter.require(Feature.EDIT_FLOWS)
        except NotSupported as error:
            error.meaning = "Nothing was imported."
            raise
        body = {"flows": [export.wire() for export in exports], "useAccounts": use_accounts, "copy": copy}
        try:
            response = await service.send("POST", _ALL + "/imports", body, long_timeout=True)
        except (NotFound, NotSupported) as error:
            raise NotSupported(
                "This server can't import and publish several flows at once.",
                feature=Feature.EDIT_FLOWS,
                meaning="Its version is too old. Nothing was imported.",
                todo="Update the server, or import the flows as drafts and publish them one by one.",
            ) from error
        return response.many(Flow)

    async def export_flow(self, flow_id: FlowId) -> FlowExport:
        """For an Automatisch server, built from the flow."""
        if not await self._adapter.is_patchbay():
            return build_export((await self._adapter.get(build_path(_ONE, id=flow_id))).one(Flow))
        service = self._adapter.service
        return (await service.send("POST", build_path(_ONE + "/export", id=flow_id))).one(FlowExport)

    async def publish_flow(self, flow_id: FlowId, *, seen: EpochMs | None = None) -> Flow:
        return await self._set_published(flow_id, active=True, seen=seen)

    async def unpublish_flow(self, flow_id: FlowId) -> Flow:
        return await self._set_published(flow_id, active=False)

    async def run_flow(self, flow_id: FlowId, item: Json = None) -> ExecutionId:
        service = await self._adapter.require(Feature.RUN_FLOWS)
        response = await service.send(
            "POST", build_path(_ONE + "/run", id=flow_id), {"item": item}, long_timeout=True
        )
        return ExecutionId(str(response.data["id"]))

    async def _set_published(self, flow_id: FlowId, *, active: bool, seen: EpochMs | None = None) -> Flow:
        path = build_path(_ONE + "/status", id=flow_id)
        body: JsonObject = {"active": active}
        if seen is not None and await self._adapter.is_patchbay():
            body["updatedAt"] = seen
        return await self._flow_ownership.whole(
            await self._adapter.send("PATCH", path, body, long_timeout=True)
        )

    async def _list_using_app(self, app_key: AppKey, query: dict[str, Any], page: PageRequest) -> Page[Flow]:
        """Flows that use an app, filtered here: Automatisch servers can't filter by app."""
        every = await read_all(partial(self._adapter.page, Flow, _ALL, query), max_items=MAX_FLOWS_READ)
        found = [flow for flow in every if app_key in flow.app_keys]
        start = offset(page)
        items = await self._flow_ownership.resolved(found[start : start + page.limit])
        end = start + len(items)
        return Page(
            items=items,
            total=len(found),
            page=start // page.limit + 1,
            limit=page.limit,
            next_cursor=str(end) if end < len(found) else None,
        )

    async def _edit(self, method: str, path: str, body: dict[str, Any] | None = None) -> Flow:
        service = await self._adapter.require(Feature.EDIT_FLOWS)
        return (await service.send(method, path, body)).one(Flow)
