"""Flows and their steps, and the portable form in which a flow is exported, imported and kept as template.

A flow has one draft (its `steps`) and at most one published version, a frozen copy that executions point at
(`FlowVersion`). Editing the draft never changes what runs.
"""

from collections.abc import Iterable
from enum import StrEnum

from pydantic import Field, computed_field

from patchbay.domain.base import (
    AppKey,
    ConnectionId,
    EpochMs,
    FlowId,
    FolderId,
    JsonObject,
    Model,
    StepId,
    UserId,
)
from patchbay.domain.variables import rewrite_references

INTERVALS = (1, 2, 5, 10, 15, 30, 60)
"""Minutes between two polls that a flow may choose."""

DEFAULT_FLOW_NAME = "Name your flow"


class FlowStatus(StrEnum):
    """Whether the flow is live."""

    DRAFT = "draft"
    PUBLISHED = "published"


class StepType(StrEnum):
    """What starts the flow, or what it then does."""

    TRIGGER = "trigger"
    ACTION = "action"


class StructuralType(StrEnum):
    """How steps follow a step: one, or paths with a branch each."""

    SINGLE = "single"
    PATHS = "paths"
    BRANCH = "branch"


class StepStatus(StrEnum):
    """Whether the step has all it needs to be published."""

    INCOMPLETE = "incomplete"
    COMPLETED = "completed"


class Tested(StrEnum):
    """How a completed step became complete."""

    PASSED = "passed"
    SKIPPED = "skipped"


class Step(Model):
    """One step. `parameters` hold what was typed, with references unresolved. `position` is 1-based."""

    id: StepId
    type: StepType
    structural_type: StructuralType = StructuralType.SINGLE
    parent_step_id: StepId | None = None
    key: str | None = None
    name: str | None = None
    app_key: AppKey | None = None
    connection_id: ConnectionId | None = None
    status: StepStatus = StepStatus.INCOMPLETE
    tested: Tested | None = None
    position: int = 1
    parameters: JsonObject = {}
    continue_on_error: bool = False
    webhook_url: str | None = None
    """Full address that starts the flow; only on webhook triggers, filled by the workspace."""
    icon_url: str | None = None


class Flow(Model):
    """A flow with its draft steps. On the wire `status` follows from `active`."""

    id: FlowId
    name: str
    user_id: UserId | None = None
    folder_id: FolderId | None = None
    active: bool = False
    execution_interval: int = 15
    published_version: int | None = None
    """Number of the frozen version that runs, None while never published."""
    has_unpublished_edits: bool = False
    steps: tuple[Step, ...] = ()
    created_at: EpochMs = 0
    updated_at: EpochMs = 0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def status(self) -> FlowStatus:
        return FlowStatus.PUBLISHED if self.active else FlowStatus.DRAFT

    @property
    def trigger(self) -> Step | None:
        return next((step for step in self.steps if step.type is StepType.TRIGGER), None)

    @property
    def app_keys(self) -> tuple[AppKey, ...]:
        """Apps used, in step order, without the steps that have none yet."""
        return tuple(step.app_key for step in self.steps if step.app_key)

    def step(self, step_id: StepId) -> Step | None:
        return next((step for step in self.steps if step.id == step_id), None)


class FlowVersion(Model):
    """The frozen copy of a flow that executions run. `number` counts from 1 for each flow."""

    flow_id: FlowId
    number: int
    name: str
    steps: tuple[Step, ...]
    created_at: EpochMs = 0


class FlowFilter(Model):
    """Which flows to list. Source: interface, GET /v1/flows. `folder_id` "null" means in no folder."""

    name: str | None = None
    status: FlowStatus | None = None
    folder_id: str | None = None
    user_id: UserId | None = None
    app_key: AppKey | None = None
    connection_id: ConnectionId | None = None


class StepChange(Model):
    """An edit of a step: only the fields that were set take effect (`model_fields_set`).

    Changing the app clears event, connection and parameters; changing the event clears parameters.
    """

    app_key: AppKey | None = None
    key: str | None = None
    name: str | None = None
    connection_id: ConnectionId | None = None
    parameters: JsonObject | None = None
    continue_on_error: bool | None = None


class StepExport(Model):
    """A step in the portable form. Domain facts, section 8."""

    id: StepId
    key: str | None = None
    name: str | None = None
    app_key: AppKey | None = None
    type: StepType
    parameters: JsonObject = {}
    position: int
    webhook_path: str | None = None
    continue_on_error: bool = False


class FlowExport(Model):
    """A flow in the portable form: no connection, folder, interval or status; ids are replaced on import."""

    id: FlowId
    name: str = Field(min_length=1)
    steps: tuple[StepExport, ...]

    def with_new_ids(self, flow_id: FlowId, step_ids: Iterable[StepId]) -> "FlowExport":
        """The same flow under other ids; references between steps and webhook paths follow."""
        ids = dict(zip((step.id for step in self.steps), step_ids, strict=True))
        steps = tuple(
            step.model_copy(
                update={
                    "id": ids[step.id],
                    "parameters": rewrite_references(step.parameters, ids),
                    "webhook_path": step.webhook_path and step.webhook_path.replace(self.id, flow_id),
                }
            )
            for step in self.steps
        )
        return FlowExport(id=flow_id, name=self.name, steps=steps)
