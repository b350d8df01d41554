"""What the engine and its store tell each other: events, runs, outcomes. `EngineStore` is what it asks of it.

Plain records, made thousands of times a second by the engine and the store alone; what comes from outside is
checked before (`TriggerItem`).
"""

from dataclasses import dataclass
from typing import NamedTuple

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, Json, JsonObject, Model, StepId, UserId
from patchbay.domain.errors import Forbidden
from patchbay.domain.executions import ExecutionState, Origin, StepState, WaitsFor
from patchbay.domain.flows import FlowSettings, FlowVersion
from patchbay.domain.sources import FIRST_SOURCE


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
