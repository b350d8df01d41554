"""`EngineStore`: what the engine asks of its store. Source: the four transactions of docs/architecture.md."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from patchbay.domain.base import ConnectionId, EpochMs, ExecutionId, FlowId, Json, StepId
from patchbay.domain.engine import CleanupResult, RateLimit, Retention
from patchbay.domain.flows import FlowSettings, FlowVersion
from patchbay.domain.runs import (
    ActiveTrigger,
    CalledFlowResult,
    CallerCounts,
    CancelResult,
    NewExecution,
    Run,
    RunTransition,
    StepOutcome,
    StoredExecution,
    TriggerState,
)
from patchbay.domain.sources import FIRST_SOURCE


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
