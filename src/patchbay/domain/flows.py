"""Flows and their steps, and the portable form in which a flow is exported, imported and kept as template.

A flow has one draft (its `steps`) and at most one published version, a frozen copy that executions point at
(`FlowVersion`). Editing the draft never changes what runs.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from enum import StrEnum

from pydantic import Field, StrictBool, computed_field

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
    WholeNumber,
)
from patchbay.domain.json_limits import size_of
from patchbay.domain.variables import rewrite_references

INTERVALS = (1, 2, 5, 10, 15, 30, 60)
"""Minutes between two polls that a flow may choose."""

MAX_FLOW_SIZE = 2_000_000
"""Characters that the parameters and conditions of a flow may take."""
DEFAULT_FLOW_NAME = "Name your flow"
PAUSED_BY_USER = "Paused by a person."
"""The reason of a pause that nobody has to be told of."""


class FlowStatus(StrEnum):
    """Whether the flow is live."""

    DRAFT = "draft"
    PUBLISHED = "published"
    PAUSED = "paused"
    """Published, and held: events are kept, nothing runs until it is resumed."""

    def covers(self, status: "FlowStatus") -> bool:
        """Whether a list of flows with this status has those with the other: published has paused ones."""
        return status is self or (self is FlowStatus.PUBLISHED and status is FlowStatus.PAUSED)


class StepType(StrEnum):
    """What starts the flow, or what it then does."""

    TRIGGER = "trigger"
    ACTION = "action"


class StructuralType(StrEnum):
    """What a step is to the steps around it. Only `single` steps have an app.

    `paths` holds branches and nothing else; `branch` and `each` hold the steps they run, in order.
    """

    SINGLE = "single"
    PATHS = "paths"
    BRANCH = "branch"
    EACH = "each"

    @property
    def is_container(self) -> bool:
        return self is not StructuralType.SINGLE


class StepStatus(StrEnum):
    """Whether the step has all it needs to be published."""

    INCOMPLETE = "incomplete"
    COMPLETED = "completed"


class StepTestStatus(StrEnum):
    """How a completed step became complete."""

    PASSED = "passed"
    SKIPPED = "skipped"


class StepPolicy(Model):
    """How a step is tried. None means the default, which depends on what failed and on the action.

    `attempts` counts every try, so 1 never tries again. The pause before a further try begins with
    `first_pause_seconds` and doubles; a third party that says how long to wait is obeyed instead.
    """

    timeout_seconds: WholeNumber | None = Field(None, ge=1, le=86_400)
    attempts: WholeNumber | None = Field(None, ge=1, le=20)
    first_pause_seconds: WholeNumber | None = Field(None, ge=1, le=3_600)


class MissedStartPolicy(StrEnum):
    """What becomes of scheduled starts that fell into a time when Patchbay was not running."""

    SKIP = "skip"
    ONCE = "once"
    ALL = "all"


class FlowSettings(Model):
    """How a published flow is run. Takes effect at once: it is no part of a version."""

    max_concurrent: WholeNumber | None = Field(None, ge=1, le=100)
    """Executions at a time; 1 runs them strictly one after the other. None shares with the other flows."""
    pause_after: WholeNumber | None = Field(20, ge=1, le=1000)
    """Failures in a row after which the flow is paused; None never pauses it."""
    missed: MissedStartPolicy = MissedStartPolicy.ONCE
    time_zone: str | None = None
    """IANA name for schedules; None is the computer's."""


class Step(Model):
    """One step. `parameters` hold what was typed, with references unresolved.

    Steps are a tree, stored flat: `parent_step_id` names the step that holds this one, and `position`
    (1-based, without gaps) counts through the tree from above, each step before those it holds.
    """

    id: StepId
    type: StepType
    structural_type: StructuralType = StructuralType.SINGLE
    parent_step_id: StepId | None = None
    branch_conditions: tuple[JsonObject, ...] | None = None
    """Of a branch: `{"and": [{"key", "operator", "value"}]}` objects, one of which must hold. With an empty
    `and` it is taken when no other branch is."""
    key: str | None = None
    name: str | None = None
    app_key: AppKey | None = None
    connection_id: ConnectionId | None = None
    status: StepStatus = StepStatus.INCOMPLETE
    tested: StepTestStatus | None = None
    position: int = 1
    parameters: JsonObject = {}
    continue_on_error: bool = False
    """Whether the run goes on when the step fails; for `each`: with the next item when one fails."""
    policy: StepPolicy = StepPolicy()
    connection_undecided: bool = Field(False, alias="connectionRequired")
    """The flow this one was imported or copied from used a connection here, which can't come along.

    Such a step needs a connection, even where one is optional, until this is set to False.
    """
    webhook_url: str | None = None
    """Full address that starts the flow; only on webhook triggers, filled by the workspace."""
    webhook_signed: bool | None = None
    """Whether calls to that address must prove who sends them; None without an address."""
    icon_url: str | None = None

    @property
    def expects_connection(self) -> bool:
        """Whether it has a connection, or can't do without the one it is to get."""
        return self.connection_id is not None or self.connection_undecided

    def behaves_like(self, other: "Step") -> bool:
        """Whether a test of one says how the other runs: same event, connection, parameters and conditions.

        Its name, and what happens after it failed, change nothing about that.
        """
        return self._behavior == other._behavior

    def size(self, limit: int) -> int:
        """About how many characters its parameters and conditions take; counted up to `limit`."""
        return size_of([self.parameters, *(self.branch_conditions or ())], limit)

    @property
    def _behavior(self) -> tuple[object, ...]:
        return self.app_key, self.key, self.connection_id, self.parameters, self.branch_conditions


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
    settings: FlowSettings = FlowSettings()
    paused_at: EpochMs | None = None
    paused_reason: str | None = None
    imported_from: str | None = None
    """Fingerprint of the export the flow was imported from, so that importing can be repeated."""
    steps: tuple[Step, ...] = ()
    created_at: EpochMs = 0
    updated_at: EpochMs = 0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def status(self) -> FlowStatus:
        if not self.active:
            return FlowStatus.DRAFT
        return FlowStatus.PUBLISHED if self.paused_at is None else FlowStatus.PAUSED

    @property
    def trigger(self) -> Step | None:
        return next((step for step in self.steps if step.type is StepType.TRIGGER), None)

    @property
    def connection_ids(self) -> frozenset[ConnectionId]:
        """The connections that steps use."""
        return frozenset(step.connection_id for step in self.steps if step.connection_id)

    @property
    def app_keys(self) -> tuple[AppKey, ...]:
        """Apps used, in step order, without the steps that have none yet."""
        return tuple(step.app_key for step in self.steps if step.app_key)

    def size(self, limit: int) -> int:
        """About how many characters the parameters and conditions of its steps take."""
        return sum(step.size(limit) for step in self.steps)

    def step(self, step_id: StepId) -> Step | None:
        return next((step for step in self.steps if step.id == step_id), None)


class FlowVersion(Model):
    """The frozen copy of a flow that executions run. `number` counts from 1 for each flow."""

    flow_id: FlowId
    number: int
    name: str
    steps: tuple[Step, ...]
    created_at: EpochMs = 0
    approved: bool = False
    """Whether somebody with full rights published it, so that its programs may run."""

    @property
    def is_draft(self) -> bool:
        """Whether it is the draft as it was read for a test, not a version that was published."""
        return self.number == 0


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
    continue_on_error: StrictBool | None = None
    policy: StepPolicy | None = None
    branch_conditions: tuple[JsonObject, ...] | None = None
    connection_undecided: StrictBool | None = Field(None, alias="connectionRequired")


def _is_none(value: object) -> bool:
    return value is None


def _is_false(value: bool) -> bool:
    return not value


def _is_single(kind: StructuralType) -> bool:
    return kind is StructuralType.SINGLE


def _is_default(policy: StepPolicy) -> bool:
    return policy == StepPolicy()


class StepExport(Model):
    """A step in the portable form. Domain facts, section 8.

    The last five fields are ours and left out where they say nothing: every service of the interface then
    reads what was written.
    """

    id: StepId
    key: str | None = None
    name: str | None = None
    app_key: AppKey | None = None
    type: StepType
    parameters: JsonObject = {}
    position: WholeNumber
    webhook_path: str | None = None
    continue_on_error: StrictBool = False
    structural_type: StructuralType = Field(StructuralType.SINGLE, exclude_if=_is_single)
    parent_step_id: StepId | None = Field(None, exclude_if=_is_none)
    branch_conditions: tuple[JsonObject, ...] | None = Field(None, exclude_if=_is_none)
    policy: StepPolicy = Field(StepPolicy(), exclude_if=_is_default)
    connection_undecided: StrictBool = Field(False, alias="connectionRequired", exclude_if=_is_false)
    """Whether the step used a connection, which stays behind: without one a webhook would be open to all."""


def remap_condition_references(
    conditions: tuple[JsonObject, ...] | None, ids: Mapping[StepId, StepId]
) -> tuple[JsonObject, ...] | None:
    """The conditions of a branch with references following steps to their new ids."""
    return None if conditions is None else tuple(rewrite_references(group, ids) for group in conditions)


class FlowExport(Model):
    """A flow in the portable form: no connection, folder, interval or status; ids are replaced on import."""

    id: FlowId
    name: str = Field(min_length=1)
    steps: tuple[StepExport, ...]

    @property
    def fingerprint(self) -> str:
        """The same for the same export, however its file is laid out."""
        text = json.dumps(self.wire(), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def with_new_ids(self, flow_id: FlowId, step_ids: Iterable[StepId]) -> "FlowExport":
        """The same flow under other ids; references between steps and webhook paths follow."""
        ids = dict(zip((step.id for step in self.steps), step_ids, strict=True))
        steps = tuple(
            step.model_copy(
                update={
                    "id": ids[step.id],
                    "parent_step_id": step.parent_step_id and ids.get(step.parent_step_id),
                    "parameters": rewrite_references(step.parameters, ids),
                    "branch_conditions": remap_condition_references(step.branch_conditions, ids),
                    "webhook_path": step.webhook_path and step.webhook_path.replace(self.id, flow_id),
                }
            )
            for step in self.steps
        )
        return FlowExport(id=flow_id, name=self.name, steps=steps)
