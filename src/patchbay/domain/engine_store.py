"""`EngineStore`: what the engine asks of its store. Source: the four transactions of docs/architecture.md."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from patchbay.domain.base import (
    ConnectionId,
    EpochMs,
    ExecutionId,
    FlowId,
    Json,
    JsonObject,
    Model,
    StepId,
    UserId,
)
from patchbay.domain.engine import CleanupResult, RateLimit, Retention
from patchbay.domain.errors import Forbidden
from patchbay.domain.executions import ExecutionState, Origin, StepState, WaitsFor
from patchbay.domain.flows import FlowSettings, FlowVersion
from patchbay.domain.trigger_sources import FIRST_SOURCE

# MERGED: What the engine and its store tell each other: events, runs, outcomes. `EngineStore` is what
# it asks of it.


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOutcome:
    """A finished attempt of a step, ready to be stored. `seq` 0 is the trigger; `attempt` counts from 1."""

    seq: int
    attempt: int = 1
    step_id: StepId
    status: StepState
    data_in: Json = None
    data_out: Json = None
    error: JsonObject | None = None
    warnings: tuple[str, ...] = ()
    """Sentences about values that were not there when the step was called."""
    path: str | None = None
    """In which item of a loop the step ran; see `ExecutionStep.path`."""
    started_at: EpochMs
    finished_at: EpochMs


class RunTree(NamedTuple):
    """The runs that one run (the root) caused, directly or through others."""

    root_id: ExecutionId
    limit: int | None = None
    """Runs the tree may have, the root included. None: this run is counted but never refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Permit:
    """What was decided about starting one version of a flow. Issued only by `engine/permissions.py`."""

    version: FlowVersion
    full_rights: bool = False
    """Whoever starts it acts with full rights."""
    refusal: Forbidden | None = None
    """Why none of its steps may run."""

    @property
    def approved(self) -> bool:
        """Whether somebody with full rights started or published it."""
        return self.full_rights or self.version.approved

    @property
    def is_draft(self) -> bool:
        """Whether it is about a draft that somebody tests."""
        return self.version.is_draft


@dataclass(frozen=True, slots=True, kw_only=True)
class NewExecution:
    """An accepted event: the execution and its finished trigger step, stored in one commit."""

    permit: Permit
    id: ExecutionId
    flow_id: FlowId
    flow_version: int | None
    """Frozen version to run; None for a test run of the draft, which is stored finished."""
    state: ExecutionState = ExecutionState.QUEUED
    internal_id: str | None = None
    test_run: bool = False
    note: str | None = None
    trigger: StepOutcome
    steps: tuple[StepOutcome, ...] = ()
    """Further finished steps: of a test run that is stored in one piece, of the origin of a retry."""
    origin_id: ExecutionId | None = None
    origin_kind: Origin | None = None
    origin_seq: int | None = None
    """The step of the origin that called this one and waits for it."""
    run_key: str | None = None
    """What idempotency keys begin with; None: the execution's own id. A retry keeps that of its origin."""
    tree: RunTree | None = None
    """The tree in which this run is counted; None: it is the root of its own."""
    steps_total: int = 0
    created_at: EpochMs

    def __post_init__(self) -> None:
        version = self.permit.version
        if (self.flow_id, self.flow_version or version.number) != (version.flow_id, version.number):
            raise ValueError("This permit is for another version of a flow.")


class TriggerState(Model):
    """Where a published trigger stands."""

    flow_id: FlowId
    next_due_at: EpochMs | None = None
    cursor: JsonObject = {}
    seen: tuple[str, ...] = ()
    """Ids of events that never start a run, kept for good by the commit that stores this; empty when read."""


class ActiveTrigger(Model):
    """A published flow as the engine's timer sees it."""

    version: FlowVersion
    interval_minutes: int
    settings: FlowSettings = FlowSettings()
    paused: bool = False
    """Held: its trigger does not fire and none of its executions is claimed."""
    state: TriggerState
    source: int = FIRST_SOURCE
    """The place of the trigger's source among those of the flow."""
    user_id: UserId | None = None
    own_only: bool = False
    """Whether it hears only of flows of the same person."""


class FinishedStep(NamedTuple):
    """How a step of a run ended for good, after its last attempt."""

    status: StepState
    output: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledFlowResult:
    """What a flow that was called gives back to the step that called it."""

    status: StepState
    data: Json = None
    error: JsonObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A claimed execution: everything needed to go on from `cursor`, the seq of the next step to run."""

    id: ExecutionId
    run_token: str
    version: FlowVersion
    cursor: int
    attempt: int = 1
    """The attempt about to be made of the step at `cursor`."""
    marks: tuple[FinishedStep, ...] = ()
    """The steps before `cursor`, by seq."""
    interrupted: bool = False
    """A crash left the step at `cursor` running: its outcome is unknown."""
    crashes: int = 0
    """How often the program died while this run was at `cursor`."""
    answered: CalledFlowResult | None = None
    """The step at `cursor` called a flow, and this is how that ended."""
    note: str | None = None
    """What the execution was accepted with; None once it told what the run waited for."""
    test_run: bool = False
    origin_id: ExecutionId | None = None
    origin_kind: Origin | None = None
    has_waiting_caller: bool = False
    """A step of the origin waits for the answer of this run."""
    root_id: ExecutionId
    """The run that caused this one, directly or through others; its own id when none did."""
    run_key: str
    """What idempotency keys of this run begin with."""
    full_rights: bool = False
    """Somebody with full rights started it."""
    created_at: EpochMs


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTransition:
    """Where a run goes after an outcome: on (`running`), to sleep until `wake_at`, or to an end.

    `steps_total` is None where it stays what it was.
    """

    state: ExecutionState
    cursor: int
    wake_at: EpochMs | None = None
    waits_for: WaitsFor | None = None
    note: str | None = None
    steps_total: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredExecution:
    """An execution as it was stored, to begin another one from."""

    id: ExecutionId
    flow_id: FlowId
    flow_version: int | None
    state: ExecutionState
    test_run: bool
    run_key: str
    steps: tuple[StepOutcome, ...]
    """The last attempt of each step, by seq."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelResult:
    """What cancelling an execution did, to it and to the flows it called."""

    ended: tuple[ExecutionId, ...] = ()
    running: tuple[ExecutionId, ...] = ()
    """These are with a runner, which has to end them."""
    woken: tuple[ExecutionId, ...] = ()
    """Runs that waited for one of them."""


class CallerCounts(NamedTuple):
    """How many runs called one the other until a run began: those that wait for it, and all of them."""

    waiting: int
    total_callers: int
    """1,000 at most."""


class EngineStore(Protocol):
    """What the engine keeps. Each method is one commit (shared with other waiting writes)."""

    async def accept(
        self, events: Sequence[NewExecution], trigger: TriggerState | None = None
    ) -> tuple[bool, ...]:
        """Store executions with their trigger step and, in the same commit, the trigger's new state.

        Returns for each event whether it was new; a known (flow_id, internal_id) is left out silently, be
        it known by an execution or by `TriggerState.seen`. Raises `RunTreeFull`, with nothing stored, when
        the tree of one of them is at its limit.
        """
        ...

    async def claim(self, execution_id: ExecutionId, run_token: str, now: EpochMs) -> Run | None:
        """Take a queued or due execution; None when somebody else has it, its flow is held, or it is gone.

        May be asked again with the same token after a `StorageFault`.
        """
        ...

    async def intent(self, run: Run, outcome: StepOutcome) -> bool:
        """Record that a step is about to be called with its resolved input. False: the run is lost."""
        ...

    async def outcome(
        self,
        run: Run,
        outcome: StepOutcome | None,
        then: RunTransition,
        begin: Sequence[NewExecution] = (),
        answer: CalledFlowResult | None = None,
    ) -> bool:
        """Finish the step and move the run, only while `run_token` is still ours.

        `begin` are executions that this one causes, stored in the same commit; `answer` goes to the run that
        waits for this one and queues it. Without an `outcome` only the run is moved. Raises `RunTreeFull`,
        with nothing stored, when the tree of one that begins is at its limit.
        """
        ...

    async def cancel(self, execution_id: ExecutionId, now: EpochMs, note: str) -> CancelResult:
        """End a run that is queued or waits, and the runs of flows it called. Empty when it is finished."""
        ...

    async def past(self, execution_id: ExecutionId) -> StoredExecution | None:
        """An execution with the last attempt of each of its steps."""
        ...

    async def frozen(self, flow_id: FlowId, number: int) -> FlowVersion | None:
        """One version of a flow; also of a deleted one."""
        ...

    async def callers(self, execution_id: ExecutionId) -> CallerCounts:
        """The runs that led to this one by calling, one the other."""
        ...

    async def is_caused_by_failure(self, execution_id: ExecutionId) -> bool:
        """Whether this execution came, in whatever steps, from the failure of another one."""
        ...

    async def foreign_connections(
        self, flow_id: FlowId, connection_ids: Collection[ConnectionId]
    ) -> frozenset[ConnectionId]:
        """Those that belong to somebody else than the flow does; none for a flow of an admin."""
        ...

    async def consecutive_failures(self, flow_id: FlowId, limit: int) -> int:
        """How many of the newest finished runs failed without one in between that did not, up to `limit`."""
        ...

    async def pause_flow(self, flow_id: FlowId, reason: str, now: EpochMs) -> bool:
        """Hold a published flow; False when it is held already, or is no longer published."""
        ...

    async def recover(self, now: EpochMs) -> int:
        """At start: executions left running become queued again, with one more crash. Returns how many.

        Those that wait for a rate limit are due now: limits are in memory and start anew.
        """
        ...

    async def release(self, now: EpochMs) -> int:
        """At an orderly end: executions left running become queued again. Returns how many."""
        ...

    async def wake(self, execution_ids: Sequence[ExecutionId], now: EpochMs) -> tuple[ExecutionId, ...]:
        """Make those of these runs due that wait for a retry or a rate limit; returns which they were."""
        ...

    async def due(
        self, now: EpochMs, limit: int, excluded_flows: Collection[FlowId] = ()
    ) -> tuple[tuple[ExecutionId, FlowId, ExecutionId], ...]:
        """Queued executions and waiting ones whose time has come, oldest first, but of these flows.

        Of those with crashes at their step there is one at a time: none while one is running.
        Each with its flow and the root of its tree.
        """
        ...

    async def next_wake(self, excluded_flows: Collection[FlowId] = ()) -> EpochMs | None:
        """When the next waiting execution is due, but of these flows."""
        ...

    async def shorten_waits(self, by: int) -> None:
        """The clock was set back by so many milliseconds: waits for a retry or a limit get no longer."""
        ...

    async def known_ids(self, flow_id: FlowId, internal_ids: Sequence[str]) -> frozenset[str]:
        """Those among them that came before, over the whole history."""
        ...

    async def last_internal_id(self, flow_id: FlowId, source: int = FIRST_SOURCE) -> str | None:
        """The id that the newest item of a source had there, as far as recent executions tell."""
        ...

    async def active_triggers(self) -> tuple[ActiveTrigger, ...]: ...
    async def version(self, flow_id: FlowId, caller: FlowId | None = None) -> FlowVersion | None:
        """The published version of an active flow; with a caller, of one that this flow may call."""
        ...

    async def draft(self, flow_id: FlowId) -> FlowVersion | None:
        """The draft in the form of a version (number 0), for tests."""
        ...

    async def flow_name(self, flow_id: FlowId) -> str | None:
        """What a flow is called now; None for one that is not there."""
        ...

    async def flow_settings(self, flow_id: FlowId) -> FlowSettings:
        """How a flow is run, published or not; the defaults for one that is not there."""
        ...

    async def connection_limits(self) -> Mapping[ConnectionId, RateLimit]:
        """The connections that have a limit of their own."""
        ...

    async def save_trigger(self, state: TriggerState) -> None: ...
    async def counts(self, since: EpochMs) -> Mapping[str, int]:
        """`running`, `waiting`, `queued` now and `failures` (tests apart) since the given time.

        `oldest_queued_at` too, while something is queued.
        """
        ...

    async def samples(self, flow_id: FlowId) -> Mapping[StepId, Json]:
        """The newest successful output of each step of a flow."""
        ...

    async def apply_retention(self, retention: Retention, now: EpochMs) -> CleanupResult:
        """Remove executions that `retention` does not keep, in many small commits; may be cut off anywhere.

        Their events stay known. Some of the space stays free in the file for what comes next.
        """
        ...

    async def record_test(self, version: FlowVersion, passed: Mapping[StepId, bool], now: EpochMs) -> bool:
        """Mark steps of a draft as tested, or as failing their test, but those that were edited since.

        `version` is the draft as it was tested. Returns whether a step was marked anew.
        """
        ...

    async def get_value(self, flow_id: FlowId, key: str) -> Json: ...
    async def set_value(self, flow_id: FlowId, key: str, value: Json) -> None: ...
