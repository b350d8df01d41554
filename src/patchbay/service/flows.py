"""Flows: list, create, change, restore, run, pause and resume. Publishing and deletion: `publishing`."""

from collections.abc import Callable
from uuid import uuid4

from patchbay.domain.audit_log import AuditAction
from patchbay.domain.base import ExecutionId, FlowId, FolderId, Json, StepId, UserId
from patchbay.domain.changes import ResourceType
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
from patchbay.service.service_context import ServiceContext
from patchbay.storage.repositories import flows, folders, users
from patchbay.storage.repositories.rows import Tx


class Flows:
    """Flows and their settings, without steps, publishing and export."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context

    async def list_flows(self, where: FlowFilter, page: PageRequest) -> Page[Flow]:
        found = await self._context.db.read(lambda tx: flows.find(tx, where, page))
        return found.model_copy(update={"items": tuple(map(self._context.with_addresses, found.items))})

    async def get_flow(self, flow_id: FlowId) -> Flow:
        return self._context.with_addresses(await self._context.db.read(lambda tx: flows.get(tx, flow_id)))

    async def create_flow(
        self, name: str | None = None, folder_id: FolderId | None = None, user_id: UserId | None = None
    ) -> Flow:
        """Create a flow with an empty trigger and an empty action."""
        now = self._context.clock()
        flow = Flow(
            id=FlowId(str(uuid4())),
            user_id=user_id or self._context.owner_id,
            folder_id=folder_id,
            created_at=now,
            updated_at=now,
            name=DEFAULT_FLOW_NAME if name is None else checked_name(name),
            steps=(
                Step(id=StepId(str(uuid4())), type=StepType.TRIGGER, position=1),
                Step(id=StepId(str(uuid4())), type=StepType.ACTION, position=2),
            ),
        )
        return await self.insert(flow)

    async def update_flow(
        self, flow_id: FlowId, *, name: str | None = None, execution_interval: int | None = None
    ) -> Flow:
        """Change the name or the polling interval; a published flow uses the new interval at once."""
        if execution_interval is not None and execution_interval not in INTERVALS:
            choices = ", ".join(map(str, INTERVALS))
            raise ValidationFailed({"executionInterval": [f"Choose one of {choices} minutes."]})
        columns: dict[str, object] = {} if name is None else {"name": checked_name(name)}
        if execution_interval is not None:
            columns["execution_interval"] = execution_interval
        now = self._context.clock()

        def work(tx: Tx) -> Flow:
            flows.get(tx, flow_id)
            flows.change(tx, flow_id, now, **columns)
            return flows.get(tx, flow_id)

        is_rename = name is not None and execution_interval is None
        flow = await self.commit(work, AuditAction.RENAMED if is_rename else AuditAction.UPDATED)
        if flow.active and execution_interval is not None:
            self._context.engine.triggers_changed()
        return flow

    async def move_flow(self, flow_id: FlowId, folder_id: FolderId | None) -> Flow:
        """Move a flow into a folder of its owner, or out of its folder."""
        now = self._context.clock()

        def work(tx: Tx) -> Flow:
            flow = flows.get(tx, flow_id)
            if folder_id is not None:
                folders.get(tx, folder_id, flow.user_id or self._context.owner_id)
            flows.change(tx, flow_id, now, folder_id=folder_id)
            return flows.get(tx, flow_id)

        flow = await self.commit(work, AuditAction.MOVED)
        self._context.changes.notify(ResourceType.FOLDER, *([folder_id] if folder_id else []))
        return flow

    async def restore_flow(self, flow_id: FlowId) -> Flow:
        now = self._context.clock()
        flow = await self._context.commit(
            lambda tx: flows.restore(tx, flow_id, now), AuditAction.RESTORED, ResourceType.FLOW, flow_id
        )
        self._context.changes.notify(ResourceType.FLOW, flow_id, action="created")
        return self._context.with_addresses(flow)

    async def run_flow(self, flow_id: FlowId, item: Json = None) -> ExecutionId:
        await self._context.db.read(lambda tx: flows.get(tx, flow_id))
        execution_id = await self._context.engine.run_now(
            flow_id, item, full_rights=self._context.full_rights
        )
        await self._context.record_audit_entry(AuditAction.RUN, ResourceType.FLOW, flow_id)
        return execution_id

    async def change_flow_settings(self, flow_id: FlowId, settings: FlowSettings) -> Flow:
        """Change the settings at once, without publishing.

        Raises `ValidationFailed` for an unknown time zone.
        """
        if settings.time_zone is not None and find_time_zone(settings.time_zone) is None:
            raise ValidationFailed(
                {"timeZone": [f"Unknown time zone “{settings.time_zone[:60]}”."]},
                todo="Use a name such as Europe/Vienna or UTC.",
            )
        now = self._context.clock()

        def work(tx: Tx) -> Flow:
            flows.get(tx, flow_id)
            flows.change(tx, flow_id, now, settings=settings.model_dump_json())
            return flows.get(tx, flow_id)

        return self._reload_triggers(await self.commit(work, AuditAction.UPDATED))

    async def pause_flow(self, flow_id: FlowId) -> Flow:
        """Pause a published flow. A flow that is already paused keeps its reason."""
        now = self._context.clock()

        def work(tx: Tx) -> Flow:
            flow = flows.get(tx, flow_id)
            if not flow.active:
                raise Conflict(
                    "This flow isn't published, so it can't be paused.",
                    meaning="Drafts don't run on their own.",
                )
            if flow.paused_at is None:
                flows.change(tx, flow_id, now, paused_at=now, paused_reason=PAUSED_BY_USER)
            return flows.get(tx, flow_id)

        return self._reload_triggers(await self.commit(work, AuditAction.PAUSED))

    async def resume_flow(self, flow_id: FlowId) -> Flow:
        """Resume a flow and run what was queued; consecutive failures are counted from zero."""
        now = self._context.clock()

        def work(tx: Tx) -> Flow:
            if flows.get(tx, flow_id).paused_at is not None:
                flows.change(tx, flow_id, now, **flows.RESUMED, streak_from=now)
            return flows.get(tx, flow_id)

        return self._reload_triggers(await self.commit(work, AuditAction.RESUMED))

    async def insert(self, flow: Flow) -> Flow:
        """Store a new flow. Its folder must belong to the same user."""

        await self._context.commit(
            lambda tx: self.add(tx, flow), AuditAction.CREATED, ResourceType.FLOW, flow.id
        )
        self._context.changes.notify(ResourceType.FLOW, flow.id, action="created")
        return self._context.with_addresses(flow)

    def add(self, tx: Tx, flow: Flow) -> None:
        """Add a new flow in a transaction of the caller. Its folder must belong to the same user."""
        owner = users.get(tx, flow.user_id or self._context.owner_id)
        if flow.folder_id is not None:
            folders.get(tx, flow.folder_id, owner.id)
        flows.add(tx, flow)

    async def commit(self, work: Callable[[Tx], Flow], audit_action: AuditAction) -> Flow:
        """Write, publish the change of the flow that `work` returns, and return that flow with addresses."""
        flow = await self._context.commit(work, audit_action, ResourceType.FLOW, lambda flow: flow.id)
        self._context.changes.notify(ResourceType.FLOW, flow.id)
        return self._context.with_addresses(flow)

    def _reload_triggers(self, flow: Flow) -> Flow:
        if flow.active:
            self._context.engine.triggers_changed()
        return flow
