"""An in-memory `Backend` with sample data, for unit tests of view-models and widgets.

Reads return data from plain dictionaries; writes change them and announce the change. Put an error in
`failing[<method name>]` to have that method raise it; `calls` records all calls.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence

from tests.support.fake_admin import FakeAdmin
from tests.support.fake_connections import FakeConnections
from tests.support.fake_history import FakeHistory
from tests.support.fake_queries import flow_matches, found, matches, page_of
from tests.support.fake_runs import FakeRuns
from tests.support.fake_steps import FakeSteps
from tests.support.fake_workspace import (
    MINUTE,
    NOW,
    execution,
    step_result,
)

from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import Backend, ImportedFlow, WorkspaceInfo
from patchbay.domain.base import (
    AppKey,
    ExecutionId,
    FlowId,
    FolderId,
    Json,
    JsonObject,
    StepId,
    TemplateId,
    UserId,
    get_optional,
)
from patchbay.domain.blockers import Blocker
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.connections import SecretsState, SecretsStorage
from patchbay.domain.errors import (
    Conflict,
    FlowNotReady,
)
from patchbay.domain.executions import (
    Execution,
    ExecutionCounts,
    ExecutionFilter,
    ExecutionState,
    ExecutionStep,
    FlowActivity,
    Histogram,
    HistogramBar,
    RunMark,
    StepState,
)
from patchbay.domain.flows import (
    Flow,
    FlowExport,
    FlowFilter,
    Step,
    StepStatus,
    StepType,
)
from patchbay.domain.folders import Folder, FolderStats, Template
from patchbay.domain.paging import Page, PageRequest
from patchbay.domain.tools import Tool, ToolResult
from patchbay.domain.truncation import shorten_flow, shorten_template


class FakeBackend(FakeAdmin, FakeConnections, FakeHistory, FakeRuns, FakeSteps):
    """An in-memory `Backend` with sample data."""

    def __init__(self, executions: int = 366) -> None:
        super().__init__(executions)
        self.prepare_engine()
        self.prepare_admin()
        self.prepare_history()

    # Workspace
    async def info(self) -> WorkspaceInfo:
        await self._enter("info")
        return WorkspaceInfo(
            kind="local",
            name="This computer",
            address="http://127.0.0.1:8787",
            webhook_address=self.hosting.public_address or "http://127.0.0.1:8787",
            offline_since=self.offline_since,
            secrets_kept="Encrypted in your data folder; the key to it is in the system keyring.",
            version="0.1.0",
            user_id=UserId("user-1"),
        )

    async def changes(self) -> AsyncIterator[Change]:
        queue: asyncio.Queue[Change | None] = asyncio.Queue()
        self._listeners.append(queue)
        while (change := await queue.get()) is not None:
            yield change

    async def close(self) -> None:
        for queue in self._listeners:
            queue.put_nowait(None)

    # Apps
    async def list_apps(self) -> tuple[AppInfo, ...]:
        await self._enter("list_apps")
        bare = {"auth": None, "triggers": None, "actions": None}
        return tuple(
            sorted((app.model_copy(update=bare) for app in self.apps.values()), key=lambda app: app.name)
        )

    async def get_app(self, key: AppKey) -> AppInfo:
        await self._enter("get_app", key)
        return found(self.apps, key, "app")

    # Connections
    async def secrets_state(self) -> SecretsState:
        await self._enter("secrets_state")
        return self.secrets

    async def move_secrets(self, home: SecretsStorage) -> SecretsState:
        await self._enter("move_secrets", home)
        self.secrets = self.secrets.model_copy(update={"home": home})
        return self.secrets

    async def change_secrets_key(self) -> int:
        await self._enter("change_secrets_key")
        return self.secrets.stored

    async def discard_lost_secrets(self) -> int:
        await self._enter("discard_lost_secrets")
        lost = self.secrets.stored if self.secrets.lost else 0
        self.secrets = self.secrets.model_copy(
            update={"stored": self.secrets.stored - lost, "problem": None, "reason": None}
        )
        return lost

    # Flows
    async def list_flows(self, where: FlowFilter, page: PageRequest) -> Page[Flow]:
        await self._enter("list_flows", where, page)
        found = [flow for flow in self.flows.values() if flow_matches(flow, where)]
        found.sort(key=lambda flow: (not flow.active, -flow.updated_at))
        return page_of([shorten_flow(flow) for flow in found], page)

    async def get_flow(self, flow_id: FlowId) -> Flow:
        await self._enter("get_flow", flow_id)
        return found(self.flows, flow_id, "flow")

    async def flow_activity(self, flow_ids: Sequence[FlowId]) -> tuple[FlowActivity, ...]:
        await self._enter("flow_activity", tuple(flow_ids))
        return tuple(self._activity(flow_id) for flow_id in flow_ids)

    def _activity(self, flow_id: FlowId) -> FlowActivity:
        runs = [item for item in self.executions if item.flow.id == flow_id]
        marks = tuple(RunMark(state=item.state, duration_ms=item.duration_ms) for item in reversed(runs[:20]))
        attention = "Todoist needs reconnecting" if flow_id == "flow-issues" else None
        if (flow := self.flows.get(flow_id)) and flow.paused_reason:
            return FlowActivity(
                flow_id=flow_id,
                last=runs[0] if runs else None,
                recent=marks,
                attention=flow.paused_reason.rstrip("."),
            )
        return FlowActivity(
            flow_id=flow_id,
            last=runs[0] if runs else None,
            recent=marks,
            next_run_at=NOW + 8 * MINUTE,
            attention=attention,
        )

    async def create_flow(
        self, name: str | None = None, folder_id: FolderId | None = None, user_id: UserId | None = None
    ) -> Flow:
        await self._enter("create_flow", name, folder_id)
        steps = (
            Step(id=StepId(self._new_id("step")), type=StepType.TRIGGER, position=1),
            Step(id=StepId(self._new_id("step")), type=StepType.ACTION, position=2),
        )
        return self._add_flow(name or "Name your flow", steps, folder_id)

    async def update_flow(
        self, flow_id: FlowId, *, name: str | None = None, execution_interval: int | None = None
    ) -> Flow:
        await self._enter("update_flow", flow_id, name, execution_interval)
        given = {"name": name, "execution_interval": execution_interval}
        return self._edit(flow_id, **{key: value for key, value in given.items() if value is not None})

    async def move_flow(self, flow_id: FlowId, folder_id: FolderId | None) -> Flow:
        await self._enter("move_flow", flow_id, folder_id)
        return self._edit(flow_id, folder_id=folder_id)

    async def duplicate_flow(self, flow_id: FlowId) -> Flow:
        await self._enter("duplicate_flow", flow_id)
        original = found(self.flows, flow_id, "flow")
        ids = {step.id: self._new_id("step") for step in original.steps}
        steps = tuple(
            step.model_copy(
                update={"id": ids[step.id], "parent_step_id": get_optional(ids, step.parent_step_id)}
            )
            for step in original.steps
        )
        return self._add_flow(f"Copy of {original.name}", steps, None)

    async def delete_flow(self, flow_id: FlowId) -> Change:
        await self._enter("delete_flow", flow_id)
        return self._delete(self.flows, ResourceType.FLOW, flow_id)

    async def restore_flow(self, flow_id: FlowId) -> Flow:
        await self._enter("restore_flow", flow_id)
        return self._restore(self.flows, ResourceType.FLOW, flow_id)

    async def import_flow(self, export: FlowExport) -> Flow:
        await self._enter("import_flow", export)
        fresh = export.with_new_ids(FlowId("flow-new"), [StepId(self._new_id("step")) for _ in export.steps])
        steps = tuple(Step.model_validate(item.model_dump()) for item in fresh.steps)
        return self._add_flow(export.name, steps, None)

    async def import_and_publish_flow(self, export: FlowExport) -> ImportedFlow:
        await self._enter("import_and_publish_flow", export)
        flow = await self.import_flow(export)
        for step in flow.steps:
            flow = await self.skip_step_test(step.id)
        try:
            return ImportedFlow(await self.publish_flow(flow.id))
        except FlowNotReady as error:
            return ImportedFlow(flow, error)

    async def import_and_publish_flows(
        self, exports: Sequence[FlowExport], *, use_accounts: bool = False, copy: bool = False
    ) -> tuple[Flow, ...]:
        await self._enter("import_and_publish_flows", exports, use_accounts, copy)
        imported = [await self.import_and_publish_flow(export) for export in exports]
        return tuple(item.flow for item in imported)

    async def export_flow(self, flow_id: FlowId) -> FlowExport:
        await self._enter("export_flow", flow_id)
        return self._export(found(self.flows, flow_id, "flow"))

    async def publish_flow(self, flow_id: FlowId, *, seen: int | None = None) -> Flow:
        await self._enter("publish_flow", flow_id)
        flow = found(self.flows, flow_id, "flow")
        if seen is not None and seen != flow.updated_at:
            raise Conflict("The flow has changed since you opened it.")
        missing = [step for step in flow.steps if step.status is not StepStatus.COMPLETED]
        if missing:
            raise FlowNotReady(
                [
                    Blocker(
                        step_id=step.id,
                        position=step.position,
                        reason="Not tested yet." if step.key else "Choose an app.",
                    )
                    for step in missing
                ]
            )
        version = (flow.published_version or 0) + 1
        return self._edit(flow_id, active=True, published_version=version, has_unpublished_edits=False)

    async def unpublish_flow(self, flow_id: FlowId) -> Flow:
        await self._enter("unpublish_flow", flow_id)
        return self._edit(flow_id, active=False, paused_at=None, paused_reason=None)

    async def run_flow(self, flow_id: FlowId, item: Json = None) -> ExecutionId:
        await self._enter("run_flow", flow_id, item)
        flow = found(self.flows, flow_id, "flow")
        made = execution(0, [flow]).model_copy(
            update={"id": self._new_id("exec"), "created_at": NOW, "state": ExecutionState.RUNNING}
        )
        self.executions.insert(0, made)
        self.announce(ResourceType.EXECUTION, made.id, action="created")
        return made.id

    async def list_tools(self) -> tuple[Tool, ...]:
        await self._enter("list_tools")
        return ()

    async def call_tool(self, flow_id: FlowId, arguments: JsonObject) -> ToolResult:
        await self._enter("call_tool", flow_id, arguments)
        found(self.flows, flow_id, "flow")
        return ToolResult(output="", execution_id=ExecutionId(self._new_id("exec")))

    # Executions
    async def list_executions(self, where: ExecutionFilter, page: PageRequest) -> Page[Execution]:
        await self._enter("list_executions", where, page)
        return page_of([item for item in self.executions if matches(item, where, self.executions)], page)

    async def get_execution(self, execution_id: ExecutionId) -> Execution:
        await self._enter("get_execution", execution_id)
        return found({item.id: item for item in self.executions}, execution_id, "execution")

    async def execution_steps(self, execution_id: ExecutionId) -> tuple[ExecutionStep, ...]:
        await self._enter("execution_steps", execution_id)
        run = found({item.id: item for item in self.executions}, execution_id, "execution")
        flow = self.flows[run.flow.id]
        failed = run.state is ExecutionState.FAILURE
        done = run.steps_done or 0
        return tuple(
            step_result(
                run.id,
                step,
                StepState.FAILURE if failed and at == done - 1 else StepState.SUCCESS,
                run.created_at + at * 400,
            )
            for at, step in enumerate(flow.steps[:done])
        )

    async def histogram(self, where: ExecutionFilter, start: int, end: int, bars: int) -> Histogram:
        await self._enter("histogram", where, start, end, bars)
        span = (end - start) // bars
        counts = [[0, 0, 0] for _ in range(bars)]
        where = where.model_copy(update={"started_after": None, "ended_before": None})
        for item in self.executions:
            if matches(item, where, self.executions) and start <= item.created_at < end:
                kind = (
                    0
                    if item.state is ExecutionState.SUCCESS
                    else 1
                    if item.state is ExecutionState.FAILURE
                    else 2
                )
                counts[min(bars - 1, (item.created_at - start) // span)][kind] += 1
        made = (
            HistogramBar(start=start + at * span, success=s, failure=f, other=o)
            for at, (s, f, o) in enumerate(counts)
        )
        return Histogram(span_ms=span, bars=tuple(made))

    async def count_executions(self, where: ExecutionFilter) -> ExecutionCounts:
        await self._enter("count_executions", where)
        found = Counter(
            item.state.value if item.state in (ExecutionState.SUCCESS, ExecutionState.FAILURE) else "other"
            for item in self.executions
            if matches(item, where, self.executions)
        )
        return ExecutionCounts(**found, all=len(self.executions))

    # Folders and templates
    async def list_folders(self, user_id: UserId | None = None) -> tuple[Folder, ...]:
        await self._enter("list_folders", user_id)
        return tuple(sorted(self.folders.values(), key=lambda folder: folder.name))

    async def folder_stats(self, user_id: UserId | None = None) -> tuple[FolderStats, ...]:
        await self._enter("folder_stats")
        return tuple(
            FolderStats(
                folder_id=key,
                flows=len(inside),
                published=sum(flow.active for flow in inside),
                runs=412,
                failures=4,
                last_run_at=NOW - 4 * MINUTE,
            )
            for key in [*self.folders, None]
            for inside in [[flow for flow in self.flows.values() if flow.folder_id == key]]
        )

    async def create_folder(self, name: str, user_id: UserId | None = None) -> Folder:
        await self._enter("create_folder", name, user_id)
        made = Folder(
            id=FolderId(self._new_id("folder")),
            name=name,
            user_id=UserId("user-1"),
            created_at=NOW,
            updated_at=NOW,
        )
        self.folders[made.id] = made
        self.announce(ResourceType.FOLDER, made.id, action="created")
        return made

    async def rename_folder(self, folder_id: FolderId, name: str, user_id: UserId | None = None) -> Folder:
        await self._enter("rename_folder", folder_id, name)
        return self._put(
            self.folders, ResourceType.FOLDER, found(self.folders, folder_id, "folder"), name=name
        )

    async def delete_folder(self, folder_id: FolderId, user_id: UserId | None = None) -> Change:
        await self._enter("delete_folder", folder_id, user_id)
        for flow in [flow for flow in self.flows.values() if flow.folder_id == folder_id]:
            self._edit(flow.id, folder_id=None)
        return self._delete(self.folders, ResourceType.FOLDER, folder_id)

    async def list_templates(self) -> tuple[Template, ...]:
        await self._enter("list_templates")
        return tuple(map(shorten_template, self.templates.values()))

    async def get_template(self, template_id: TemplateId) -> Template:
        await self._enter("get_template", template_id)
        return found(self.templates, template_id, "template")

    async def create_template(self, name: str, flow_id: FlowId) -> Template:
        await self._enter("create_template", name, flow_id)
        made = Template(
            id=TemplateId(self._new_id("tpl")),
            name=name,
            flow_data=self._export(self.flows[flow_id]).wire(),
            created_at=NOW,
        )
        self.templates[made.id] = made
        self.announce(ResourceType.TEMPLATE, made.id, action="created")
        return made

    async def delete_template(self, template_id: TemplateId) -> Change:
        await self._enter("delete_template", template_id)
        return self._delete(self.templates, ResourceType.TEMPLATE, template_id)

    async def use_template(self, template_id: TemplateId, user_id: UserId | None = None) -> Flow:
        await self._enter("use_template", template_id)
        return await self.import_flow(
            FlowExport.model_validate(found(self.templates, template_id, "template").flow_data)
        )


def _as_backend(fake: FakeBackend) -> Backend:
    """Checked by mypy: `FakeBackend` implements the protocol."""
    return fake
