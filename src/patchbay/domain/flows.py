"""Flows and their steps, and the portable format for export, import, and templates.

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
    Filter,
    FlowId,
    FolderId,
    JsonObject,
    Model,
    StepId,
    UserId,
    WholeNumber,
)
from patchbay.domain.json_limits import size_of
from patchbay.domain.step_policy import StepPolicy
from patchbay.domain.variables import rewrite_references

INTERVALS = (1, 2, 5, 10, 15, 30, 60)
"""Polling intervals to choose from, in minutes."""

MAX_FLOW_SIZE = 2_000_000
"""Maximum size of a flow's parameters and conditions, in characters."""
DEFAULT_FLOW_NAME = "Name your flow"
PAUSED_BY_USER = "Paused manually."
"""The pause reason if a person paused it; no notification is sent."""


class FlowStatus(StrEnum):
    """Whether the flow is published, and paused."""

    DRAFT = "draft"
    PUBLISHED = "published"
    PAUSED = "paused"
    """Published, but nothing runs until it is resumed. Events are queued."""

    def covers(self, status: "FlowStatus") -> bool:
        """Whether a filter for this status includes flows with the other: published includes paused."""
        return status is self or (self is FlowStatus.PUBLISHED and status is FlowStatus.PAUSED)


class StepType(StrEnum):
    """Whether the step starts the flow."""

    TRIGGER = "trigger"
    ACTION = "action"


class StructuralType(StrEnum):
    """Whether a step runs an app's event (`single`) or contains other steps.

    `paths` contains only branches. `branch` and `each` (a loop) contain the steps that they run, in order.
    """

    SINGLE = "single"
    PATHS = "paths"
    BRANCH = "branch"
    EACH = "each"

    @property
    def is_container(self) -> bool:
        """Whether steps of this type contain others."""
        return self is not StructuralType.SINGLE


class StepStatus(StrEnum):
    """Whether the step is ready to be published."""

    INCOMPLETE = "incomplete"
    COMPLETED = "completed"


class StepTestStatus(StrEnum):
    """The outcome of a step's last test since it was changed. A step without one wasn't tested since."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class MissedStartPolicy(StrEnum):
    """What to do about scheduled starts that were missed: skip them, run once, or run each of them."""

    SKIP = "skip"
    ONCE = "once"
    ALL = "all"


class FlowSettings(Model):
    """Settings of how a flow runs. They aren't part of a version, so changes take effect at once."""

    max_concurrent: WholeNumber | None = Field(None, ge=1, le=100)
    """Maximum number of runs at a time; 1 runs them strictly one after the other.

    None means no limit of its own.
    """
    pause_after: WholeNumber | None = Field(20, ge=1, le=1000)
    """The flow is paused after this many failures in a row; None means never."""
    missed: MissedStartPolicy = MissedStartPolicy.ONCE
    time_zone: str | None = None
    """IANA time zone for schedules; None means the computer's."""


class Step(Model):
    """One step of a flow. `parameters` are as entered, with unresolved references.

    Steps form a tree that is stored flat: `parent_step_id` is the step that contains this one, and `position`
    (from 1, without gaps) is its depth-first order, each step before those it contains.
    """

    id: StepId
    type: StepType
    structural_type: StructuralType = StructuralType.SINGLE
    parent_step_id: StepId | None = None
    branch_conditions: tuple[JsonObject, ...] | None = None
    """Of a branch: groups `{"and": [{"key", "operator", "value"}]}`, one of which must match.

    A branch with an empty `and` is the default branch, which runs if no other branch matches.
    """
    key: str | None = None
    name: str | None = None
    app_key: AppKey | None = None
    connection_id: ConnectionId | None = None
    status: StepStatus = StepStatus.INCOMPLETE
    tested: StepTestStatus | None = None
    position: int = 1
    parameters: JsonObject = {}
    continue_on_error: bool = False
    """Whether the run continues if the step fails; for `each`, whether it continues with the next item."""
    policy: StepPolicy = StepPolicy.model_construct()
    connection_undecided: bool = Field(False, alias="connectionRequired")
    """Whether the step was imported or copied without the connection that the original uses.

    Even if its connection is optional, it then needs one, until a user decides against it (False).
    """
    webhook_url: str | None = None
    """The URL that starts the flow; only of webhook triggers, filled in by the workspace."""
    webhook_signed: bool | None = None
    """Whether requests to `webhook_url` must be signed; None without one."""
    icon_url: str | None = None

    @property
    def expects_connection(self) -> bool:
        """Whether the step has a connection, or still needs one to be chosen."""
        return self.connection_id is not None or self.connection_undecided

    def behaves_like(self, other: "Step") -> bool:
        """Whether both steps do the same, so that a test of one counts for the other.

        That is: same event, connection, parameters, and conditions. Names and error handling don't matter.
        """
        return self._behavior == other._behavior

    def size(self, limit: int) -> int:
        """The approximate size of its parameters and conditions in characters, counted up to `limit`."""
        return size_of([self.parameters, *(self.branch_conditions or ())], limit)

    @property
    def _behavior(self) -> tuple[object, ...]:
        return self.app_key, self.key, self.connection_id, self.parameters, self.branch_conditions


class Flow(Model):
    """A flow with the steps of its draft."""

    id: FlowId
    name: str
    user_id: UserId | None = None
    folder_id: FolderId | None = None
    active: bool = False
    execution_interval: int = 15
    published_version: int | None = None
    """Number of the version that runs; None if never published."""
    has_unpublished_edits: bool = False
    settings: FlowSettings = FlowSettings.model_construct()
    paused_at: EpochMs | None = None
    paused_reason: str | None = None
    imported_from: str | None = None
    """Fingerprint of the export the flow was imported from, to skip it when the file is imported again."""
    steps: tuple[Step, ...] = ()
    created_at: EpochMs = 0
    updated_at: EpochMs = 0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def status(self) -> FlowStatus:
        """Draft, published, or paused."""
        if not self.active:
            return FlowStatus.DRAFT
        return FlowStatus.PUBLISHED if self.paused_at is None else FlowStatus.PAUSED

    @property
    def trigger(self) -> Step | None:
        """The first step; None if the flow is empty."""
        return next((step for step in self.steps if step.type is StepType.TRIGGER), None)

    @property
    def connection_ids(self) -> frozenset[ConnectionId]:
        """The connections that steps use."""
        return frozenset(step.connection_id for step in self.steps if step.connection_id)

    @property
    def app_keys(self) -> tuple[AppKey, ...]:
        """The apps of the steps, in order, without steps that have none yet."""
        return tuple(step.app_key for step in self.steps if step.app_key)

    def size(self, limit: int) -> int:
        """The approximate size of its steps' parameters and conditions in characters, counted up to
        `limit`.
        """
        return sum(step.size(limit) for step in self.steps)

    def step(self, step_id: StepId | None) -> Step | None:
        """The step with this ID; None if there is none."""
        return next((step for step in self.steps if step.id == step_id), None)


class FlowVersion(Model):
    """The frozen copy of a flow that executions run. `number` counts the flow's versions from 1.

    0 is the draft.
    """

    flow_id: FlowId
    number: int
    name: str
    steps: tuple[Step, ...]
    created_at: EpochMs = 0
    approved: bool = False
    """Whether a person with full rights published it, which allows its programs to run."""

    @property
    def is_draft(self) -> bool:
        """Whether it is a copy of the draft, made for a test."""
        return self.number == 0


class FlowFilter(Filter):
    """Which flows to list: those that match all given conditions. `folder_id` "null" means uncategorised."""

    name: str | None = None
    status: FlowStatus | None = None
    folder_id: FolderId | None = None
    user_id: UserId | None = None
    app_key: AppKey | None = None
    connection_id: ConnectionId | None = None
    ids: tuple[FlowId, ...] | None = None


class StepChange(Model):
    """Changes to a step. Only fields that were set take effect (`model_fields_set`).

    Changing the app clears event, connection, and parameters; changing the event clears the parameters.
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
    """A step in the portable format.

    The last five fields are Patchbay's own. They are omitted if they have their default value, so that
    Automatisch can read the file.
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
    policy: StepPolicy = Field(StepPolicy.model_construct(), exclude_if=_is_default)
    connection_undecided: StrictBool = Field(False, alias="connectionRequired", exclude_if=_is_false)
    """Whether the exported step used a connection.

    Without it, an imported webhook would accept unsigned requests.
    """

    @classmethod
    def of(cls, step: Step, *, webhook_path: str | None, connection_undecided: bool = False) -> "StepExport":
        """The step in the portable format, with its own ID."""
        return cls(
            id=step.id,
            key=step.key,
            name=step.name,
            app_key=step.app_key,
            type=step.type,
            parameters=step.parameters,
            position=step.position,
            webhook_path=webhook_path,
            continue_on_error=step.continue_on_error,
            structural_type=step.structural_type,
            parent_step_id=step.parent_step_id,
            branch_conditions=step.branch_conditions,
            policy=step.policy,
            connection_undecided=connection_undecided,
        )


def remap_condition_references(
    conditions: tuple[JsonObject, ...] | None, ids: Mapping[StepId, StepId]
) -> tuple[JsonObject, ...] | None:
    """Copy a branch's conditions, with references to the new IDs of steps."""
    return None if conditions is None else tuple(rewrite_references(group, ids) for group in conditions)


class FlowExport(Model):
    """A flow in the portable format, without connections, folder, interval, and status.

    Import replaces the IDs.
    """

    id: FlowId
    name: str = Field(min_length=1)
    steps: tuple[StepExport, ...]

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the contents, regardless of the file's formatting."""
        text = json.dumps(self.wire(), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def with_new_ids(self, flow_id: FlowId, step_ids: Iterable[StepId]) -> "FlowExport":
        """Copy the flow with other IDs, also in references between steps and in webhook paths."""
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
