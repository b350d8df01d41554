"""The engine's storage: the `EngineStore` protocol, and the events, runs, and outcomes it stores and returns.

An execution is stored in four transactions: accept, claim, and then intent and outcome for each step.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pydantic import Field

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
from patchbay.domain.records import record
from patchbay.domain.trigger_sources import FIRST_SOURCE


@record
class StepOutcome:
    """One attempt of a step, ready to be stored. `seq` 0 is the trigger; `attempt` counts from 1."""

    seq: int
    attempt: int = 1
    step_id: StepId
    status: StepState
    data_in: Json = None
    data_out: Json = None
    error: JsonObject | None = None
    warnings: tuple[str, ...] = ()
    """Sentences about values that were missing when the step was called."""
    path: str | None = None
    """The loop item in which the step ran; see `ExecutionStep.path`."""
    started_at: EpochMs
    finished_at: EpochMs
    output_size: int | None = None
    """The approximate size of `data_out` in characters, if it is known."""


class RunTree(NamedTuple):
    """A root run together with all runs that it caused, directly or indirectly."""

    root_id: ExecutionId
    limit: int | None = None
    """Maximum number of runs in the tree, including the root. None: this run is counted, but never rejected.
    """


@record
class Permit:
    """The decision whether one version of a flow may run. Only issued by `engine/run_permits.py`."""

    version: FlowVersion
    full_rights: bool = False
    """Whether the person who starts it has full rights."""
    approval_ended: bool = False
    """Whether a person without full rights starts an approved version that isn't the published one any more.
    Then `version` is the version without its approval."""
    rejection: Forbidden | None = None
    """Why it may not run; None if it may."""

    @property
    def approved(self) -> bool:
        """Whether its steps have an admin's approval: a person with full rights starts the run or published
        the version, and that approval hasn't ended.
        """
        return self.full_rights or self.version.approved

    @property
    def is_draft(self) -> bool:
        """Whether the version is a draft that is being tested."""
        return self.version.is_draft


@record
class NewExecution:
    """A new execution with its finished trigger step, to be stored in one commit."""

    permit: Permit
    id: ExecutionId
    flow_id: FlowId
    flow_version: int | None
    """The version to run; None for a test run of the draft, which is stored when it has finished."""
    state: ExecutionState = ExecutionState.QUEUED
    internal_id: str | None = None
    test_run: bool = False
    note: str | None = None
    trigger: StepOutcome
    steps: tuple[StepOutcome, ...] = ()
    """More finished steps: of a test run, which is stored at once, or of the original run of a retry."""
    origin_id: ExecutionId | None = None
    origin_kind: Origin | None = None
    origin_seq: int | None = None
    """The step of the calling run that waits for this one."""
    run_key: str | None = None
    """Prefix of idempotency keys; None: the execution's ID. A retry uses that of the original run."""
    tree: RunTree | None = None
    """The tree that this run belongs to; None: it is the root of a new one."""
    steps_total: int = 0
    created_at: EpochMs

    def __post_init__(self) -> None:
        version = self.permit.version
        if (self.flow_id, self.flow_version or version.number) != (version.flow_id, version.number):
            raise ValueError("This permit is for another version of a flow.")


class TriggerState(Model):
    """The state of a published trigger."""

    flow_id: FlowId
    next_due_at: EpochMs | None = None
    cursor: JsonObject = {}
    seen: tuple[str, ...] = ()
    """IDs of events that never start a run, to be stored permanently with this state; empty when read."""
    webhook_secrets: tuple[str, ...] = Field(default=(), exclude=True, repr=False)
    """Secrets with which the service signs, to be stored encrypted with this state; empty when read."""


class TriggerClaim(NamedTuple):
    """Whether a due trigger may be fired now, and its current state."""

    state: TriggerState
    is_claimed: bool


class ActiveTrigger(Model):
    """A published flow with its trigger's state and its settings."""

    version: FlowVersion
    interval_minutes: int
    settings: FlowSettings = FlowSettings()
    paused: bool = False
    """While paused, its trigger doesn't fire and none of its executions is claimed."""
    state: TriggerState
    source: int = FIRST_SOURCE
    """The number of the trigger's source among those of the flow."""
    user_id: UserId | None = None
    own_only: bool = False
    """Whether it only receives failures of its owner's flows."""


class FinishedStep(NamedTuple):
    """The final status and output of a step, after its last attempt.

    `size` is the approximate size of the output in characters; None if it isn't known.
    """

    status: StepState
    output: Json = None
    size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledFlowResult:
    """What a called flow returns to the calling step."""

    status: StepState
    data: Json = None
    error: JsonObject | None = None


@record
class Run:
    """A claimed execution, with everything needed to run it from `cursor`, the seq of the next step."""

    id: ExecutionId
    run_token: str
    version: FlowVersion
    cursor: int
    attempt: int = 1
    """The number of the next attempt of the step at `cursor`."""
    finished_steps: tuple[FinishedStep, ...] = ()
    """The finished steps before `cursor`, by seq."""
    interrupted: bool = False
    """Whether a crash interrupted the step at `cursor`, so that its outcome is unknown."""
    crashes: int = 0
    """How often the program crashed while this run was at `cursor`."""
    call_result: CalledFlowResult | None = None
    """The result of the flow that the step at `cursor` called."""
    note: str | None = None
    """The initial note, until a wait replaces it."""
    test_run: bool = False
    origin_id: ExecutionId | None = None
    origin_kind: Origin | None = None
    has_waiting_caller: bool = False
    """Whether a step of the calling run waits for the result of this one."""
    root_id: ExecutionId
    """The run that caused this one, directly or indirectly; its own ID if none did."""
    run_key: str
    """Prefix of this run's idempotency keys."""
    full_rights: bool = False
    """Whether a person with full rights started it."""
    approval_ended: bool = False
    """Whether a person without full rights started it after the approval of its version had ended; see
    `Permit`."""
    created_at: EpochMs


@record
class RunTransition:
    """The state of a run after an outcome: it continues (`running`), waits until `wake_at`, or has ended.

    `steps_total` None leaves the stored value unchanged.
    """

    state: ExecutionState
    cursor: int
    wake_at: EpochMs | None = None
    waits_for: WaitsFor | None = None
    note: str | None = None
    steps_total: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredExecution:
    """A stored execution that a retry or replay starts from."""

    id: ExecutionId
    flow_id: FlowId
    flow_version: int | None
    state: ExecutionState
    waits_for: WaitsFor | None
    note: str | None
    test_run: bool
    run_key: str
    steps: tuple[StepOutcome, ...]
    """The last attempt of each step, by seq."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelResult:
    """The executions affected by a cancellation: the execution itself, and the called runs it waits for."""

    ended: tuple[ExecutionId, ...] = ()
    running: tuple[ExecutionId, ...] = ()
    """Executions that a runner is running, and has to end."""
    woken: tuple[ExecutionId, ...] = ()
    """Runs that waited for one of them, and are queued again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPass:
    """A request to let a key of a flow pass once per period, for the step “Continue only once”."""

    key: str
    passed_by: str
    """The step of the run that asks, as in its idempotency key. The same one always passes again."""
    at: EpochMs
    period_ms: int | None
    """None: the key passes only once."""


class CallerCounts(NamedTuple):
    """The number of runs in the chain of calls that led to a run: those that wait for it, and all of them."""

    waiting: int
    total_callers: int
    """Counted up to 1,000."""


class EngineStore(Protocol):
    """The engine's storage. Each write is one commit, shared with other pending writes.

    The exception is `apply_retention`, which commits many times.
    """

    async def accept(
        self, events: Sequence[NewExecution], trigger: TriggerState | None = None
    ) -> tuple[bool, ...]:
        """Store executions with their trigger step and the trigger's new state in one commit.

        Returns for each event whether it was new. A known (flow_id, internal_id) is skipped, whether it is
        known from an execution or from `TriggerState.seen`. Raises `RunTreeFull`, with nothing stored, if the
        tree of one of them is at its limit.
        """
        ...

    async def claim(self, execution_id: ExecutionId, run_token: str, now: EpochMs) -> Run | None:
        """Claim a queued or due execution. None if it is claimed already, deleted, or its flow is paused.

        Can be repeated with the same token after a `StorageFault`.
        """
        ...

    async def intent(self, run: Run, outcome: StepOutcome) -> bool:
        """Record that a step is about to be called, with its input. False: `run_token` is no longer valid."""
        ...

    async def outcome(
        self,
        run: Run,
        outcome: StepOutcome | None,
        then: RunTransition,
        begin: Sequence[NewExecution] = (),
        call_result: CalledFlowResult | None = None,
    ) -> bool:
        """Store the outcome of a step and the run's new state, if `run_token` is still valid.

        `begin` are executions that this one starts, stored in the same commit. `call_result` is passed to the
        run that waits for this one, which is queued. Without an `outcome`, only the run's state changes.
        Raises `RunTreeFull`, with nothing stored, if the tree of a new execution is at its limit.
        """
        ...

    async def defer_outcome(self, run: Run, outcome: StepOutcome, then: RunTransition) -> bool:
        """As `outcome`, for a step that can be repeated without harm, after which the run continues.

        It is stored with the run's next write if that follows while nothing else runs on the event loop. Then
        this returns True at once, and the next write returns whether `run_token` is still valid.
        """
        ...

    async def cancel(self, execution_id: ExecutionId, now: EpochMs, note: str) -> CancelResult:
        """Cancel a queued or waiting run, and the called runs that it waits for.

        Those that are running aren't changed, only returned. The result is empty if the run has finished.
        """
        ...

    async def stored_execution(self, execution_id: ExecutionId) -> StoredExecution | None:
        """Load an execution with the last attempt of each of its steps."""
        ...

    async def flow_version(self, flow_id: FlowId, number: int) -> FlowVersion | None:
        """Load one version of a flow, even if the flow was deleted."""
        ...

    async def callers(self, execution_id: ExecutionId) -> CallerCounts:
        """Count the runs in the chain of calls that led to this one."""
        ...

    async def is_caused_by_failure(self, execution_id: ExecutionId) -> bool:
        """Whether the failure of another execution led to this one, directly or indirectly."""
        ...

    async def foreign_connections(
        self, flow_id: FlowId, connection_ids: Collection[ConnectionId]
    ) -> frozenset[ConnectionId]:
        """The connections with another owner than the flow's; none for a flow of an admin."""
        ...

    async def consecutive_failures(self, flow_id: FlowId, limit: int) -> int:
        """Count how many of the latest finished runs failed in a row, up to `limit`."""
        ...

    async def pause_flow(self, flow_id: FlowId, reason: str, now: EpochMs) -> bool:
        """Pause a published flow; False if it is paused already or no longer published."""
        ...

    async def recover(self, now: EpochMs) -> int:
        """At startup, queue executions that were left running, and count the crash. Returns how many.

        Those waiting for a rate limit become due, since the limiter's state is only in memory.
        """
        ...

    async def release(self, now: EpochMs) -> int:
        """At an orderly shutdown, queue executions that are still running. Returns how many."""
        ...

    async def wake(self, execution_ids: Sequence[ExecutionId], now: EpochMs) -> tuple[ExecutionId, ...]:
        """Make those of these runs due that wait for a retry or a rate limit. Returns their IDs."""
        ...

    async def due(
        self,
        now: EpochMs,
        limit: int,
        excluded_flows: Collection[FlowId] = (),
        only_flows: Collection[FlowId] | None = None,
    ) -> tuple[tuple[ExecutionId, FlowId, ExecutionId], ...]:
        """Queued and due executions, oldest first, as (execution, flow, root of its tree).

        Executions with a crash at their step are returned one at a time, and none while such a one is
        running. `only_flows` leaves out all other flows.
        """
        ...

    async def next_wake(
        self, excluded_flows: Collection[FlowId] = (), only_flows: Collection[FlowId] | None = None
    ) -> EpochMs | None:
        """When the next waiting execution is due."""
        ...

    async def shorten_waits(self, by: int) -> None:
        """Shorten waits for a retry or a rate limit by as many milliseconds as the clock was set back."""
        ...

    async def known_ids(self, flow_id: FlowId, internal_ids: Sequence[str]) -> frozenset[str]:
        """Those of these IDs that came before, at any time."""
        ...

    async def last_internal_id(self, flow_id: FlowId, source: int = FIRST_SOURCE) -> str | None:
        """The ID of a source's newest item, if it is among recent executions."""
        ...

    async def active_triggers(self) -> tuple[ActiveTrigger, ...]:
        """Return the triggers of all published flows, with their states."""
        ...

    async def version(self, flow_id: FlowId, caller: FlowId | None = None) -> FlowVersion | None:
        """The published version of a flow; with a caller, only if the caller may call it."""
        ...

    async def draft(self, flow_id: FlowId) -> FlowVersion | None:
        """The draft as a version with number 0, for tests."""
        ...

    async def flow_name(self, flow_id: FlowId) -> str | None:
        """The current name of a flow; None if it doesn't exist."""
        ...

    async def flow_settings(self, flow_id: FlowId) -> FlowSettings:
        """The settings of a flow; the defaults if it doesn't exist."""
        ...

    async def connection_limits(self) -> Mapping[ConnectionId, RateLimit]:
        """The rate limits of connections that have one."""
        ...

    async def claim_trigger(self, state: TriggerState, version: int, *, early: bool) -> TriggerClaim:
        """Claim the due trigger of this version of a flow, so that no other program fires it.

        `state` is the last known one. `early`: also if it isn't due. `accept` with its next state ends the
        claim, and stores nothing if the claim was lost.
        """
        ...

    async def save_trigger(self, state: TriggerState, previous: TriggerState | None = None) -> None:
        """Store the state of a trigger, unless another program has changed `previous` or is firing it."""
        ...

    async def count_call(self, limits: Sequence[tuple[str, RateLimit]]) -> float:
        """Count a call under these limits, each with its key, together with those of other programs.

        Returns 0, or without counting it, the seconds until the next try.
        """
        ...

    async def counts(self, since: EpochMs) -> Mapping[str, int]:
        """Count executions: `running`, `waiting`, `queued`, and `failures` since a time, without tests.

        Includes `oldest_queued_at` if something is queued.
        """
        ...

    async def samples(self, flow_id: FlowId) -> Mapping[StepId, Json]:
        """The newest successful output of each step of a flow."""
        ...

    async def apply_retention(self, retention: Retention, now: EpochMs) -> CleanupResult:
        """Delete executions beyond the retention in many small commits; can be interrupted at any time.

        The IDs of their events stay known. Some of the freed space stays in the file for new data.
        """
        ...

    async def record_test(self, version: FlowVersion, passed: Mapping[StepId, bool], now: EpochMs) -> bool:
        """Mark steps of a draft as passed or failed, except those that were edited since the test.

        `version` is the draft as it was tested. Returns whether any mark changed.
        """
        ...

    async def get_value(self, flow_id: FlowId, key: str) -> Json:
        """Return a value that apps stored for a flow; None if there is none."""
        ...

    async def set_value(self, flow_id: FlowId, key: str, value: Json) -> None:
        """Store a value for a flow."""
        ...

    async def pass_key(self, flow_id: FlowId, key: KeyPass) -> EpochMs | None:
        """Let a key pass, unless it passed within its period for someone else. One atomic decision.

        Returns None if it passes, else when it last passed.
        """
        ...

    async def key_passed_at(self, flow_id: FlowId, key: str) -> EpochMs | None:
        """When a key last passed; None if it never did, or if its period is over and it was deleted."""
        ...
