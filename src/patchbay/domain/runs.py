"""What the engine and its store tell each other: events, runs, outcomes, and the transactions they make.

Plain records, made thousands of times a second by the engine and the store alone; what comes from outside is
checked before (`TriggerItem`).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from patchbay.domain.base import ConnectionId, EpochMs, ExecutionId, FlowId, Json, JsonObject, Model, StepId
from patchbay.domain.engine import RateLimit, Retention, Tidied
from patchbay.domain.executions import ExecutionState, Origin, StepState, WaitsFor
from patchbay.domain.flows import FlowSettings, FlowVersion
from patchbay.domain.sources import FIRST


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


@dataclass(frozen=True, slots=True, kw_only=True)
class NewExecution:
    """An accepted event: the execution and its finished trigger step, stored in one commit."""

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
    steps_total: int = 0
    created_at: EpochMs


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
    source: int = FIRST
    """The place of the trigger's source among those of the flow."""


class Mark(NamedTuple):
    """How a step of a run ended for good, after its last attempt."""

    status: StepState
    output: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
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
    marks: tuple[Mark, ...] = ()
    """The steps before `cursor`, by seq."""
    interrupted: bool = False
    """A crash left the step at `cursor` running: its outcome is unknown."""
    answered: Answer | None = None
    """The step at `cursor` called a flow, and this is how that ended."""
    note: str | None = None
    """What the execution was accepted with; None once it told what the run waited for."""
    test_run: bool = False
    origin_id: ExecutionId | None = None
    origin_kind: Origin | None = None
    waited_for: bool = False
    """A step of the origin waits for the answer of this run."""
    run_key: str
    """What idempotency keys of this run begin with."""
    created_at: EpochMs


@dataclass(frozen=True, slots=True, kw_only=True)
class Continue:
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
class Past:
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
class Cancelled:
    """What cancelling an execution did, to it and to the flows it called."""

    ended: tuple[ExecutionId, ...] = ()
    running: tuple[ExecutionId, ...] = ()
    """These are with a runner, which has to end them."""
    woken: tuple[ExecutionId, ...] = ()
    """Runs that waited for one of them."""


class Callers(NamedTuple):
    """How many runs called one the other until a run began: those that wait for it, and all of them."""

    waiting: int
    in_all: int
    """1,000 at most."""


class EngineStore(Protocol):
    """What the engine keeps. Each method is one commit (shared with other waiting writes)."""

    async def accept(
        self, events: Sequence[NewExecution], trigger: TriggerState | None = None
    ) -> tuple[bool, ...]:
        """Store executions with their trigger step and, in the same commit, the trigger's new state.

        Returns for each event whether it was new; a known (flow_id, internal_id) is left out silently, be
        it known by an execution or by `TriggerState.seen`.
        """
        ...

    async def claim(self, execution_id: ExecutionId, run_token: str, now: EpochMs) -> Run | None:
        """Take a queued or due execution; None when somebody else has it or it is gone.

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
        then: Continue,
        begin: Sequence[NewExecution] = (),
        answer: Answer | None = None,
    ) -> bool:
        """Finish the step and move the run, only while `run_token` is still ours.

        `begin` are executions that this one causes, stored in the same commit; `answer` goes to the run that
        waits for this one and queues it. Without an `outcome` only the run is moved.
        """
        ...

    async def cancel(self, execution_id: ExecutionId, now: EpochMs, note: str) -> Cancelled:
        """End a run that is queued or waits, and the runs of flows it called. Empty when it is finished."""
        ...

    async def past(self, execution_id: ExecutionId) -> Past | None:
        """An execution with the last attempt of each of its steps."""
        ...

    async def frozen(self, flow_id: FlowId, number: int) -> FlowVersion | None:
        """One version of a flow; also of a deleted one."""
        ...

    async def callers(self, execution_id: ExecutionId) -> Callers:
        """The runs that led to this one by calling, one the other."""
        ...

    async def led_by_failure(self, execution_id: ExecutionId) -> bool:
        """Whether this execution came, in whatever steps, from the failure of another one."""
        ...

    async def failures_in_row(self, flow_id: FlowId, limit: int) -> int:
        """How many of the newest finished runs failed without one in between that did not, up to `limit`."""
        ...

    async def pause_flow(self, flow_id: FlowId, reason: str, now: EpochMs) -> bool:
        """Hold a published flow; False when it is held already, or is no longer published."""
        ...

    async def recover(self, now: EpochMs) -> int:
        """At start: executions left running become queued again. Returns how many."""
        ...

    async def due(
        self, now: EpochMs, limit: int, leave_out: Collection[FlowId] = ()
    ) -> tuple[tuple[ExecutionId, FlowId], ...]:
        """Queued executions and waiting ones whose time has come, oldest first, but of these flows."""
        ...

    async def next_wake(self, leave_out: Collection[FlowId] = ()) -> EpochMs | None:
        """When the next waiting execution is due, but of these flows."""
        ...

    async def bring_nearer(self, by: int) -> None:
        """The clock was set back by so many milliseconds: waits for a retry or a limit get no longer."""
        ...

    async def known_ids(self, flow_id: FlowId, internal_ids: Sequence[str]) -> frozenset[str]:
        """Those among them that came before, over the whole history."""
        ...

    async def last_internal_id(self, flow_id: FlowId, source: int = FIRST) -> str | None:
        """The id that the newest item of a source had there, as far as recent executions tell."""
        ...

    async def active_triggers(self) -> tuple[ActiveTrigger, ...]: ...
    async def version(self, flow_id: FlowId) -> FlowVersion | None:
        """The published version of an active flow."""
        ...

    async def draft(self, flow_id: FlowId) -> FlowVersion | None:
        """The draft in the form of a version (number 0), for tests."""
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

    async def remove_old(self, retention: Retention, now: EpochMs) -> Tidied:
        """Remove executions that `retention` does not keep, in many small commits; may be cut off anywhere.

        Their events stay known. Some of the space stays free in the file for what comes next.
        """
        ...

    async def get_value(self, flow_id: FlowId, key: str) -> Json: ...
    async def set_value(self, flow_id: FlowId, key: str, value: Json) -> None: ...
