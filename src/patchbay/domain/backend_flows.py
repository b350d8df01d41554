"""The part of the `Backend` protocol that is about flows and their steps."""

from collections.abc import Sequence
from typing import Protocol

from patchbay.domain.access import Scope
from patchbay.domain.base import (
    EpochMs,
    ExecutionId,
    FlowId,
    FolderId,
    Json,
    JsonObject,
    Model,
    StepId,
    UserId,
)
from patchbay.domain.changes import Change
from patchbay.domain.executions import ExecutionStep, FlowActivity
from patchbay.domain.fields import Argument, Option
from patchbay.domain.flows import Flow, FlowExport, FlowFilter, FlowSettings, StepChange, StructuralType
from patchbay.domain.operation_rules import Audience, requires_scope
from patchbay.domain.paging import Page, PageRequest


class StepTest(Model):
    """The answer to testing a step: the flow as it is now and what the step did."""

    flow: Flow
    execution_id: ExecutionId
    result: ExecutionStep


class FlowBackend(Protocol):
    """Building flows. Every method raises only `AppError` kinds; writes are announced."""

    # Flows
    @requires_scope(Scope.READ, Audience.OWNED)
    async def list_flows(self, where: FlowFilter, page: PageRequest) -> Page[Flow]:
        """Published first, then last updated first."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def get_flow(self, flow_id: FlowId) -> Flow: ...
    @requires_scope(Scope.READ, Audience.OWNED)
    async def flow_activity(self, flow_ids: Sequence[FlowId]) -> tuple[FlowActivity, ...]: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def create_flow(
        self, name: str | None = None, folder_id: FolderId | None = None, user_id: UserId | None = None
    ) -> Flow:
        """A new flow with an empty trigger and an empty action, of this user or of the owner."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def update_flow(
        self, flow_id: FlowId, *, name: str | None = None, execution_interval: int | None = None
    ) -> Flow: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def change_flow_settings(self, flow_id: FlowId, settings: FlowSettings) -> Flow:
        """Takes effect at once, also for a published flow. Raises `ValidationFailed` (unknown time zone)."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def pause_flow(self, flow_id: FlowId) -> Flow:
        """Hold a published flow: events are kept, nothing of it runs. Raises `Conflict` for a draft."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def resume_flow(self, flow_id: FlowId) -> Flow:
        """Go on, with what was kept meanwhile. Nothing happens to a flow that is not paused."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def move_flow(self, flow_id: FlowId, folder_id: FolderId | None) -> Flow: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def duplicate_flow(self, flow_id: FlowId) -> Flow: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def delete_flow(self, flow_id: FlowId) -> Change:
        """Unpublish and hide; `restore_flow` brings it back as a draft."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def restore_flow(self, flow_id: FlowId) -> Flow: ...
    @requires_scope(Scope.OPERATE, Audience.PUBLIC)
    async def import_flow(self, export: FlowExport) -> Flow: ...
    @requires_scope(Scope.READ, Audience.OWNED)
    async def export_flow(self, flow_id: FlowId) -> FlowExport: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def publish_flow(self, flow_id: FlowId, *, seen: EpochMs | None = None) -> Flow:
        """Freeze the draft as the next version and make it live. Raises `FlowNotReady` with blockers.

        `seen` is `updated_at` of the flow that whoever publishes looked at: raises `Conflict` when it was
        changed since, so that nobody approves what they didn't see.
        A flow that was paused for its failures goes on; one that a person paused stays so.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def unpublish_flow(self, flow_id: FlowId) -> Flow:
        """Back to a draft; what is under way goes on. What a paused flow kept is cancelled."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def run_flow(self, flow_id: FlowId, item: Json = None) -> ExecutionId:
        """Start the published version now (the draft as a test run when never published).

        `item` is the trigger's output; None asks the trigger for one. Returns once accepted.
        """
        ...

    # Steps of the draft
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def add_step(
        self,
        flow_id: FlowId,
        after: StepId | None = None,
        *,
        inside: StepId | None = None,
        kind: StructuralType = StructuralType.SINGLE,
    ) -> Flow:
        """A new step behind `after` and all it holds, or as the first one `inside` a branch or loop.

        Neither: at the end of the flow. New paths come with two branches, the second of which is taken when
        the first is not; a new branch goes to the end of the paths it is `inside`, though before that one.
        Raises `ValidationFailed` where such a step cannot be.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def update_step(self, step_id: StepId, change: StepChange) -> Flow:
        """Any edit makes the step incomplete again."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def move_step(self, step_id: StepId, position: int, *, inside: StepId | None = None) -> Flow:
        """Take the step, with all it holds, to this position; 1 is the trigger's.

        Positions are those without the moved steps. `inside` says which step holds it there, None: none.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def delete_step(self, step_id: StepId) -> Flow: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def restore_step(self, step_id: StepId) -> Flow: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def test_step(self, step_id: StepId) -> StepTest:
        """Run this one step with the newest data of the steps before it. Completed only when it passed."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def skip_step_test(self, step_id: StepId) -> Flow: ...
    @requires_scope(Scope.READ, Audience.OWNED)
    async def step_samples(self, flow_id: FlowId) -> tuple[ExecutionStep, ...]:
        """The newest successful result of each step, for value pickers; at most one per step."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def dynamic_options(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Option, ...]: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def dynamic_fields(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Argument, ...]: ...
