"""Flows: list, create, change, delete, run."""

from collections.abc import Callable
from uuid import uuid4

from patchbay.domain.audit_log import AuditAction
from patchbay.domain.base import ExecutionId, FlowId, FolderId, Json, UserId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.clock import find_time_zone
from patchbay.domain.errors import Conflict, ValidationFailed
from patchbay.domain.flows import (
    DEFAULT_FLOW_NAME,
    INTERVALS,
    PAUSED_BY_USER,
    Flow,
    FlowFilter,
    FlowSettings,
    Step,
    StepType,
)
from patchbay.domain.paging import Page, PageRequest
from patchbay.service.names import checked_name
from patchbay.service.service_context import Operations
from patchbay.storage import run_control
from patchbay.storage.repositories import flow_versions, flows, folders, users
from patchbay.storage.repositories.rows import Tx

CANCELLED_BY_DELETION = "Not run: the flow was deleted while it was paused."


class FlowOperations(Operations):
    """Everything about flows but their steps, publishing and the portable form."""

    async def list_flows(self, where: FlowFilter, page: PageRequest) -> Page[Flow]:
        found = await self._db.read(lambda tx: flows.find(tx, where, page))
        return found.model_copy(update={"items": tuple(map(self._with_addresses, found.items))})

    async def get_flow(self, flow_id: FlowId) -> Flow:
        return self._with_addresses(await self._db.read(lambda tx: flows.get(tx, flow_id)))

    async def create_flow(
        self, name: str | None = None, folder_id: FolderId | None = None, user_id: UserId | None = None
    ) -> Flow:
        """A new flow with an empty trigger and an empty action."""
        now = self._clock()
        flow = Flow(
            id=str(uuid4()), user_id=user_id or self._owner, folder_id=folder_id,
            created_at=now, updated_at=now,
            name=DEFAULT_FLOW_NAME if name is None else checked_name(name),
            steps=(
                Step(id=str(uuid4()), type=StepType.TRIGGER, position=1),
                Step(id=str(uuid4()), type=StepType.ACTION, position=2),
            ),
        )  # fmt: skip
        return await self._insert_flow(flow)

    async def update_flow(
        self, flow_id: FlowId, *, name: str | None = None, execution_interval: int | None = None
    ) -> Flow:
        """A new interval of a published flow counts from now, without publishing again."""
        if execution_interval is not None and execution_interval not in INTERVALS:
            choices = ", ".join(map(str, INTERVALS))
            raise ValidationFailed({"executionInterval": [f"Choose one of {choices} minutes."]})
        columns: dict[str, object] = {} if name is None else {"name": checked_name(name)}
        if execution_interval is not None:
            columns["execution_interval"] = execution_interval
        now = self._clock()

        def work(tx: Tx) -> Flow:
            flows.get(tx, flow_id)
            flows.change(tx, flow_id, now, **columns)
            return flows.get(tx, flow_id)

        is_rename = name is not None and execution_interval is None
        flow = await self._commit_flow(work, AuditAction.RENAMED if is_rename else AuditAction.UPDATED)
        if flow.active and execution_interval is not None:
            self._engine.triggers_changed()
        return flow

    async def move_flow(self, flow_id: FlowId, folder_id: FolderId | None) -> Flow:
        """Only into a folder of the flow's own owner."""
        now = self._clock()

        def work(tx: Tx) -> Flow:
            flow = flows.get(tx, flow_id)
            if folder_id is not None:
                folders.get(tx, folder_id, flow.user_id or self._owner)
            flows.change(tx, flow_id, now, folder_id=folder_id)
            return flows.get(tx, flow_id)

        flow = await self._commit_flow(work, AuditAction.MOVED)
        self._changes.notify(ResourceType.FOLDER, *([folder_id] if folder_id else []))
        return flow

    async def delete_flow(self, flow_id: FlowId) -> Change:
        """Unpublish and hide; `restore_flow` brings it back as a draft.

        What a paused flow kept is cancelled: nobody asked for it to run now.
        """
        now = self._clock()

        def work(tx: Tx) -> Flow:
            flow = flows.get(tx, flow_id)
            if flow.paused_at is not None:
                run_control.cancel_queued(tx, flow_id, now, CANCELLED_BY_DELETION)
            flow_versions.delete_trigger_state(tx, flow_id)
            flows.remove(tx, flow_id, now)
            return flow

        flow = await self._commit(work, AuditAction.DELETED, ResourceType.FLOW, flow_id)
        if flow.active:
            self._engine.triggers_changed()
        if flow.paused_at is not None:
            self._changes.notify(ResourceType.EXECUTION)
        return self._changes.notify(ResourceType.FLOW, flow_id, action="deleted")

    async def restore_flow(self, flow_id: FlowId) -> Flow:
        now = self._clock()
        flow = await self._commit(
            lambda tx: flows.restore(tx, flow_id, now), AuditAction.RESTORED, ResourceType.FLOW, flow_id
        )
        self._changes.notify(ResourceType.FLOW, flow_id, action="created")
        return self._with_addresses(flow)

    async def run_flow(self, flow_id: FlowId, item: Json = None) -> ExecutionId:
        await self._db.read(lambda tx: flows.get(tx, flow_id))
        execution_id = await self._engine.run_now(flow_id, item, full_rights=self._full_rights)
        await self._record_audit_entry(AuditAction.RUN, ResourceType.FLOW, flow_id)
        return execution_id

    async def _insert_flow(self, flow: Flow) -> Flow:
        """Store a new flow; its folder must belong to the same person."""

        def work(tx: Tx) -> None:
            owner = users.get(tx, flow.user_id or self._owner)
            if flow.folder_id is not None:
                folders.get(tx, flow.folder_id, owner.id)
            flows.add(tx, flow)

        await self._commit(work, AuditAction.CREATED, ResourceType.FLOW, flow.id)
        self._changes.notify(ResourceType.FLOW, flow.id, action="created")
        return self._with_addresses(flow)

    async def _commit_flow(self, work: Callable[[Tx], Flow], audit_action: AuditAction) -> Flow:
        """Write, tell of the flow that the work returns, and show it."""
        flow = await self._commit(work, audit_action, ResourceType.FLOW, lambda flow: flow.id)
        self._changes.notify(ResourceType.FLOW, flow.id)
        return self._with_addresses(flow)


# MERGED: How published flows are run: their settings, holding them, and letting them go on.


class FlowSettingsOperations(FlowOperations):
    """What takes effect at once, without publishing."""

    async def change_flow_settings(self, flow_id: FlowId, settings: FlowSettings) -> Flow:
        """Raises `ValidationFailed` for a time zone that does not exist."""
        if settings.time_zone is not None:
            _require_time_zone(settings.time_zone)
        now = self._clock()

        def work(tx: Tx) -> Flow:
            flows.get(tx, flow_id)
            flows.change(tx, flow_id, now, settings=settings.model_dump_json())
            return flows.get(tx, flow_id)

        return self._notify_engine(await self._commit_flow(work, AuditAction.UPDATED))

    async def pause_flow(self, flow_id: FlowId) -> Flow:
        """Hold a published flow. One that is paused stays so, with the reason it has."""
        now = self._clock()

        def work(tx: Tx) -> Flow:
            flow = flows.get(tx, flow_id)
            if not flow.active:
                raise Conflict(
                    "This flow is not published, so there is nothing to pause.",
                    meaning="Drafts do not run by themselves.",
                )
            if flow.paused_at is None:
                flows.change(tx, flow_id, now, paused_at=now, paused_reason=PAUSED_BY_USER)
            return flows.get(tx, flow_id)

        return self._notify_engine(await self._commit_flow(work, AuditAction.PAUSED))

    async def resume_flow(self, flow_id: FlowId) -> Flow:
        """Go on, with what was kept meanwhile; failures in a row are counted anew."""
        now = self._clock()

        def work(tx: Tx) -> Flow:
            if flows.get(tx, flow_id).paused_at is not None:
                flows.change(tx, flow_id, now, **flows.RESUMED, streak_from=now)
            return flows.get(tx, flow_id)

        return self._notify_engine(await self._commit_flow(work, AuditAction.RESUMED))

    def _notify_engine(self, flow: Flow) -> Flow:
        if flow.active:
            self._engine.triggers_changed()
        return flow


def _require_time_zone(name: str) -> None:
    if find_time_zone(name) is None:
        raise ValidationFailed(
            {"timeZone": [f"There is no time zone “{name[:60]}”."]},
            todo="Write it as in Europe/Vienna, or UTC.",
        )
