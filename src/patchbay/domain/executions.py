"""Executions and their steps; filters, search, statistics, and the local copy of a remote history."""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from pydantic import Field, StrictBool, computed_field

from patchbay.domain.base import (
    AppKey,
    EpochMs,
    ExecutionId,
    Filter,
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
    """The state of an execution. `Execution.status` reduces it to success and failure."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    SUCCESS = "success"
    FAILURE = "failure"
    FILTERED = "filtered"
    CANCELLED = "cancelled"

    @property
    def finished(self) -> bool:
        """Whether the run has ended."""
        return self not in (ExecutionState.QUEUED, ExecutionState.RUNNING, ExecutionState.WAITING)


class ExecutionStatus(StrEnum):
    """The outcome of an execution, as third-party servers know it too."""

    SUCCESS = "success"
    FAILURE = "failure"


class StepState(StrEnum):
    """The state of one attempt of a step."""

    RUNNING = "running"
    SUCCESS = "success"
    FAILURE = "failure"
    FILTERED = "filtered"
    CANCELLED = "cancelled"
    """Cancelled by a person while it was running. Whether the third party carried it out is unknown."""


class WaitsFor(StrEnum):
    """What a waiting run is waiting for."""

    DELAY = "delay"
    RETRY = "retry"
    LIMIT = "limit"
    FLOW = "flow"
    """The flow that it called."""


class Origin(StrEnum):
    """How an execution came from another (`origin_id`)."""

    RETRY = "retry"
    REPLAY = "replay"
    CALL = "call"
    FAILURE = "failure"


class ReplayOn(StrEnum):
    """Which version a replay runs: that of the original execution, or the published one."""

    ORIGINAL = "original"
    NEWEST = "newest"


class StepRef(Model):
    """The summary of a step in lists: enough for icons and names."""

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
    """The summary of an execution's flow, as it was when the execution started."""

    id: FlowId
    name: str
    active: bool = False
    folder_id: FolderId | None = None
    steps: tuple[StepRef, ...] = ()

    @property
    def app_keys(self) -> tuple[AppKey, ...]:
        """The apps of the flow's steps."""
        return tuple(step.app_key for step in self.steps if step.app_key)


INTERRUPTED = "Patchbay was stopped while "
"""Start of the note of an execution that ended at an interrupted step with an unknown outcome."""


class Execution(Model):
    """One run of a flow.

    `note` is the one-line reason shown in lists: the error, what it is waiting for, or which filter ended it.
    `steps_done` counts finished steps including the trigger; None if it isn't reported. `status` is
    None until the run has succeeded or failed; a run that a filter ended has succeeded.
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
        """The ID of the flow."""
        return self.flow.id

    @computed_field  # type: ignore[prop-decorator]
    @property
    def status(self) -> ExecutionStatus | None:
        """Success or failure; None while the execution is unfinished."""
        if self.state is ExecutionState.FAILURE:
            return ExecutionStatus.FAILURE
        if self.state in (ExecutionState.SUCCESS, ExecutionState.FILTERED):
            return ExecutionStatus.SUCCESS
        return None

    @property
    def outcome_unknown(self) -> bool:
        """Whether it ended at an interrupted step that may have been carried out, and a retry may repeat it.

        Recognised by the note, because executions are listed without the errors of their steps.
        """
        return self.state is ExecutionState.FAILURE and (self.note or "").startswith(INTERRUPTED)

    @property
    def duration_ms(self) -> int | None:
        """Milliseconds from creation to end; None while unfinished."""
        return None if self.finished_at is None else max(0, self.finished_at - self.created_at)


class ExecutionStep(Model):
    """One attempt of a step in an execution, with its input, output, and error.

    `error_details` has `happened`, `meaning`, `todo`, `kind`, and for an error of a third party `status` and
    `response`. `seq` counts the steps of the run from 0 (the trigger), `attempt` from 1. `path` is the index
    of the loop item from 0 ("2", in nested loops "2.0"). `warnings` are sentences about missing values.
    `shortened`: the data was too large for one response and was cut.
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


class ExecutionFilter(Filter):
    """Which executions to list: those that match all given conditions.

    Times are milliseconds since the epoch (UTC), inclusive, and compared with `created_at`. `name` is part of
    the flow's name, or the beginning of an execution's ID (at least eight characters). Third-party servers
    only know the first four conditions.
    """

    name: str | None = None
    status: ExecutionStatus | None = None
    started_after: WholeEpochMs | None = Field(None, alias="startDateTime")
    ended_before: WholeEpochMs | None = Field(None, alias="endDateTime")
    states: tuple[ExecutionState, ...] = ()
    flow_id: FlowId | None = None
    folder_id: FolderId | None = None
    user_id: UserId | None = None
    """Only executions of this person's flows."""
    app_key: AppKey | None = None
    test_run: StrictBool | None = None
    note: str | None = None
    """Part of the note, to find executions with the same cause."""
    origin_id: ExecutionId | None = None
    """Only executions that this one led to: its retries, replays, and the flows it called."""
    retried: StrictBool | None = None
    """True: only executions that were retried or replayed, with any outcome. False: only the others."""

    @classmethod
    def unresolved_failures_since(cls, since: EpochMs) -> "ExecutionFilter":
        """The filter for “failures today”: failed runs, without tests, that haven't been retried."""
        return cls(states=(ExecutionState.FAILURE,), started_after=since, test_run=False, retried=False)

    def matching_states(self) -> frozenset[ExecutionState] | None:
        """The states that match both `states` and `status`; None if neither is set."""
        states = frozenset(self.states) if self.states else None
        if self.status is None:
            return states
        of_status = _STATES_OF_STATUS[self.status]
        return of_status if states is None else states & of_status


_STATES_OF_STATUS = {
    ExecutionStatus.SUCCESS: frozenset({ExecutionState.SUCCESS, ExecutionState.FILTERED}),
    ExecutionStatus.FAILURE: frozenset({ExecutionState.FAILURE}),
}


class HistogramBar(Model):
    """Number of executions from `start` on, by outcome. `other` is every state but success and failure."""

    start: EpochMs
    success: int = 0
    failure: int = 0
    other: int = 0


class Histogram(Model):
    """Number of executions over time, in consecutive spans of `span_ms`, oldest first."""

    span_ms: int
    bars: tuple[HistogramBar, ...]

    @classmethod
    def from_counts(
        cls, start: EpochMs, span_ms: int, bars: int, counts: Iterable[tuple[int, str, int]]
    ) -> "Histogram":
        """Build a histogram from (index of the bar, state, number); indexes may repeat or be missing."""
        found: list[Counter[str]] = [Counter() for _ in range(bars)]
        for bar, state, number in counts:
            found[bar][state if state in ("success", "failure") else "other"] += number
        return cls(
            span_ms=span_ms,
            bars=tuple(HistogramBar(start=start + i * span_ms, **by_slot) for i, by_slot in enumerate(found)),
        )

    @property
    def total(self) -> int:
        """The number of executions in all bars."""
        return sum(bar.success + bar.failure + bar.other for bar in self.bars)


class ExecutionCounts(Model):
    """Number of executions that match a filter, by outcome, and of `all` executions without the filter.

    `other` is every state but success and failure.
    """

    success: int = 0
    failure: int = 0
    other: int = 0
    all: int = 0

    @property
    def matching(self) -> int:
        """The number of executions that match the filter."""
        return self.success + self.failure + self.other


class RunMark(Model):
    """One bar of a flow's sparkline."""

    state: ExecutionState
    duration_ms: int | None = None


class FlowActivity(Model):
    """Recent runs of a flow: the newest one, the last 20 (oldest first), and when it runs next."""

    flow_id: FlowId
    last: Execution | None = None
    recent: tuple[RunMark, ...] = ()
    next_run_at: EpochMs | None = None
    starts_on_event: bool = False
    """Whether it starts when something happens on the desktop, and so at no known time."""
    attention: str | None = None
    """Why it can't run, as a sentence without its full stop ("Todoist needs reconnecting")."""
    attention_todo: str = ""
    """What to do about it, as sentences; empty if `attention` says it."""

    @property
    def attention_sentence(self) -> str:
        """Why it can't run, with the full stop; empty if it can."""
        return f"{self.attention}." if self.attention else ""


class BulkRetry(Model):
    """The progress of retrying many failed executions. `refused` counts those that couldn't be retried."""

    id: str
    total: int
    done: int = 0
    refused: int = 0
    reasons: tuple[str, ...] = ()
    """Why some couldn't be retried, as sentences; each once, at most 10."""
    finished: bool = False
    cancelled: bool = False


class SearchPage(Model):
    """One batch of search results, newest first. A batch is limited by search time, not by results.

    `searched` is the number of executions searched for this batch, `reached` the time of the oldest of them.
    `next_cursor` continues with older ones; None at the end.
    """

    items: tuple[Execution, ...]
    searched: int
    reached: EpochMs | None = None
    next_cursor: str | None = None


class HistoryCopyState(StrEnum):
    """The state of the local copy of a remote history."""

    NOT_NEEDED = "not_needed"
    """The workspace can filter and count executions itself."""
    ABSENT = "absent"
    READING = "reading"
    STOPPED = "stopped"
    COMPLETE = "complete"


class HistoryCopy(Model):
    """The local copy of a server's history, for filters that the server doesn't support.

    `done` of `total` executions have been downloaded, from the newest back to `oldest_at`. `problem` is a
    sentence that says why the download stopped.
    """

    state: HistoryCopyState = HistoryCopyState.NOT_NEEDED
    done: int = 0
    total: int = 0
    oldest_at: EpochMs | None = None
    problem: str | None = None
