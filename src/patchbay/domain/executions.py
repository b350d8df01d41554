"""Executions and their steps, filters over them, and the figures drawn above the list."""

from enum import StrEnum

from pydantic import Field, StrictBool, computed_field

from patchbay.domain.base import (
    AppKey,
    EpochMs,
    ExecutionId,
    FlowId,
    FolderId,
    Json,
    JsonObject,
    Model,
    StepId,
    UserId,
    WholeEpochMs,
)
from patchbay.domain.flows import StepType, StructuralType


class ExecutionState(StrEnum):
    """What is stored. The interface knows only success and failure; see `Execution.status`."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    SUCCESS = "success"
    FAILURE = "failure"
    FILTERED = "filtered"
    CANCELLED = "cancelled"

    @property
    def finished(self) -> bool:
        return self not in (ExecutionState.QUEUED, ExecutionState.RUNNING, ExecutionState.WAITING)


class ExecutionStatus(StrEnum):
    """The two values of the interface."""

    SUCCESS = "success"
    FAILURE = "failure"


class StepState(StrEnum):
    """How one attempt at a step stands."""

    RUNNING = "running"
    SUCCESS = "success"
    FAILURE = "failure"
    FILTERED = "filtered"
    CANCELLED = "cancelled"
    """Cut off by a person; whether the third party carried it out is unknown."""


class WaitsFor(StrEnum):
    """Why a run waits."""

    DELAY = "delay"
    RETRY = "retry"
    LIMIT = "limit"
    FLOW = "flow"
    """For the flow it called."""


class Origin(StrEnum):
    """How an execution came from another one: `origin_id` names that one."""

    RETRY = "retry"
    REPLAY = "replay"
    CALL = "call"
    FAILURE = "failure"


class ReplayOn(StrEnum):
    """Which steps a replay runs: those the original ran, or those that are published now."""

    ORIGINAL = "original"
    NEWEST = "newest"


class StepRef(Model):
    """What a list shows of a step: enough for icons and names."""

    id: StepId
    type: StepType
    key: str | None = None
    name: str | None = None
    app_key: AppKey | None = None
    position: int
    structural_type: StructuralType = StructuralType.SINGLE
    parent_step_id: StepId | None = None
    icon_url: str | None = None


class FlowRef(Model):
    """What an execution shows of its flow, as it was when the execution was accepted."""

    id: FlowId
    name: str
    active: bool = False
    folder_id: FolderId | None = None
    steps: tuple[StepRef, ...] = ()

    @property
    def app_keys(self) -> tuple[AppKey, ...]:
        return tuple(step.app_key for step in self.steps if step.app_key)


INTERRUPTED = "Patchbay was stopped while "
"""How the note of an execution begins that ended at an interrupted step which may have acted."""


class Execution(Model):
    """One run of a flow.

    `note` is the one-line reason shown in lists (error, what a delay waits for, which filter stopped it).
    `steps_done` counts finished steps, trigger included; None where the service doesn't tell. On the wire
    `status` is null until success or failure; a run that a filter ended counts as success.
    """

    id: ExecutionId
    flow: FlowRef
    state: ExecutionState
    flow_version: int | None = None
    test_run: bool = False
    internal_id: str | None = None
    note: str | None = None
    steps_done: int | None = 0
    steps_total: int = 0
    wake_at: EpochMs | None = None
    waits_for: WaitsFor | None = None
    origin_id: ExecutionId | None = None
    origin_kind: Origin | None = None
    started_at: EpochMs | None = None
    finished_at: EpochMs | None = None
    created_at: EpochMs = 0
    updated_at: EpochMs = 0

    @computed_field(alias="flowId")  # type: ignore[prop-decorator]
    @property
    def flow_id(self) -> FlowId:
        return self.flow.id

    @computed_field  # type: ignore[prop-decorator]
    @property
    def status(self) -> ExecutionStatus | None:
        if self.state is ExecutionState.FAILURE:
            return ExecutionStatus.FAILURE
        if self.state in (ExecutionState.SUCCESS, ExecutionState.FILTERED):
            return ExecutionStatus.SUCCESS
        return None

    @property
    def outcome_unknown(self) -> bool:
        """Whether it ended at an interrupted step that may have acted, so that retrying may do it twice.

        Told by the first words of the note, because executions come without the errors of their steps.
        """
        return self.state is ExecutionState.FAILURE and (self.note or "").startswith(INTERRUPTED)

    @property
    def duration_ms(self) -> int | None:
        """From creation to end; None while unfinished."""
        return None if self.finished_at is None else max(0, self.finished_at - self.created_at)


class ExecutionStep(Model):
    """What one step of an execution took in and put out.

    `error_details` holds `happened`, `meaning`, `todo`, `kind` and, where a third party refused, `status` and
    `response`. `seq` counts the steps of the run from 0 (the trigger), `attempt` from 1. `path` says in
    which item of a loop it ran, counted from 0 ("2", in a loop within a loop "2.0"). `warnings` are sentences
    about values that were not there. `shortened`: the data was too large for one answer and was cut.
    """

    id: str
    execution_id: ExecutionId
    step: StepRef
    seq: int
    attempt: int = 1
    status: StepState
    data_in: Json = None
    data_out: Json = None
    error_details: JsonObject | None = None
    warnings: tuple[str, ...] = ()
    shortened: bool = False
    path: str | None = None
    started_at: EpochMs | None = None
    finished_at: EpochMs | None = None
    created_at: EpochMs = 0
    updated_at: EpochMs = 0


class ExecutionFilter(Model):
    """Which executions to list. All given conditions must hold; none given means all.

    Times are milliseconds since the epoch (UTC) and inclusive. The first four are the interface's (GET
    /v1/executions), where `name` is the flow's name and both times compare the start; the rest is ours.
    """

    name: str | None = None
    status: ExecutionStatus | None = None
    started_after: WholeEpochMs | None = Field(None, alias="startDateTime")
    ended_before: WholeEpochMs | None = Field(None, alias="endDateTime")
    states: tuple[ExecutionState, ...] = ()
    flow_id: FlowId | None = None
    folder_id: FolderId | None = None
    user_id: UserId | None = None
    """Only of this person's flows."""
    app_key: AppKey | None = None
    test_run: StrictBool | None = None
    note: str | None = None
    """Substring of the result note, to find executions with the same cause."""
    origin_id: ExecutionId | None = None
    """Only what came from this execution: its retries, replays, and the flows it called."""
    retried: StrictBool | None = None
    """Only executions that were retried or run again, whatever came of it; False: only the others."""

    @classmethod
    def failures_to_look_at(cls, since: EpochMs) -> "ExecutionFilter":
        """What "failures today" counts: failed runs of published flows that nobody has retried yet."""
        return cls(states=(ExecutionState.FAILURE,), started_after=since, test_run=False, retried=False)


class HistogramBar(Model):
    """Counts of one span of time, `start` inclusive. `other` is every state but success and failure."""

    start: EpochMs
    success: int = 0
    failure: int = 0
    other: int = 0


class Histogram(Model):
    """Executions over time: equal spans of `span_ms`, oldest first, without gaps, and the totals over all."""

    span_ms: int
    bars: tuple[HistogramBar, ...]

    @property
    def total(self) -> int:
        return sum(bar.success + bar.failure + bar.other for bar in self.bars)


class RunMark(Model):
    """One bar of a flow's sparkline."""

    state: ExecutionState
    duration_ms: int | None = None


class FlowActivity(Model):
    """How a flow has been doing: the newest run, the last 20 oldest first, and when it runs next."""

    flow_id: FlowId
    last: Execution | None = None
    recent: tuple[RunMark, ...] = ()
    next_run_at: EpochMs | None = None
    attention: str | None = None
    """Why it cannot work now, in words ("Todoist needs reconnecting")."""


class BulkRetry(Model):
    """Retrying many failed executions: how far it is. `refused` counts those that could not be retried."""

    id: str
    total: int
    done: int = 0
    refused: int = 0
    reasons: tuple[str, ...] = ()
    """Why, in words; each reason once, at most ten."""
    finished: bool = False
    cancelled: bool = False


# MERGED: Looking through a long history: a search in what steps took in and put out, and a copy read
# from afar.


class SearchPage(Model):
    """What one stretch of a search found, newest first. Stretches are bounded in time, not in finds.

    `searched` counts the executions looked through in this stretch, `reached` is the time of the oldest of
    them. `next_cursor` goes on with older ones and is None when there are none.
    """

    items: tuple[Execution, ...]
    searched: int
    reached: EpochMs | None = None
    next_cursor: str | None = None


class HistoryCopyState(StrEnum):
    """How the copy of a remote history stands."""

    NOT_NEEDED = "not_needed"
    """The workspace answers every question itself."""
    ABSENT = "absent"
    READING = "reading"
    STOPPED = "stopped"
    COMPLETE = "complete"


class HistoryCopy(Model):
    """The copy of a service's history that is kept here so that it can be filtered in every way.

    `done` of `total` executions are there, the newest first, back to `oldest_at`. `problem` says why reading
    stopped, in words.
    """

    state: HistoryCopyState = HistoryCopyState.NOT_NEEDED
    done: int = 0
    total: int = 0
    oldest_at: EpochMs | None = None
    problem: str | None = None
