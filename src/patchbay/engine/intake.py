"""Turns trigger items into accepted executions: one commit, then off to the dispatcher."""

import random
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, Json, JsonObject, UserId
from patchbay.domain.clock import now_ms
from patchbay.domain.engine_store import (
    ActiveTrigger,
    EngineStore,
    NewExecution,
    Permit,
    RunTree,
    StepOutcome,
    TriggerState,
)
from patchbay.domain.executions import ExecutionState, Origin, StepState
from patchbay.domain.flow_calls import failure_item, receives_failures_of
from patchbay.domain.flows import Step
from patchbay.domain.ports import TriggerItem
from patchbay.domain.request_context import current_run_root
from patchbay.engine.changes import ChangeAnnouncer
from patchbay.engine.dispatcher import Dispatcher
from patchbay.engine.permissions import Permissions
from patchbay.engine.plan import Plan, PlannedStep, Plans

# MERGED: Ids of executions: UUIDs that sort by the time they were made.

_VERSION_7 = 0x7 << 76
_VARIANT = 0x2 << 62
_COUNTER_BITS = 0xFFF
_tails = random.Random(random.SystemRandom().getrandbits(128))  # nosec B311  # ids, no secrets
_last = 0


def new_execution_id() -> str:
    """A version 7 UUID, larger than every one this process made before.

    Events of one poll share a millisecond: the order of their ids keeps the order in which they happened,
    and rows land side by side in the index.
    """
    global _last
    _last = max(_last + 1, now_ms() << 12)
    stamp, counter = _last >> 12, _last & _COUNTER_BITS
    tail = _tails.getrandbits(62)
    text = f"{(stamp << 80) | _VERSION_7 | (counter << 64) | _VARIANT | tail:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def new_engine_id() -> str:
    """A short random name for one life of an engine; run tokens start with it."""
    return uuid.uuid4().hex[:12]


# MERGED: The trigger step of an execution, which is finished when the execution begins.


def trigger_outcome(plan: Plan, raw: Json, started: EpochMs, finished: EpochMs) -> StepOutcome:
    """Its parameters as typed, and the event (both validated before)."""
    return StepOutcome(
        seq=0, attempt=1, step_id=plan.start.step.id, status=StepState.SUCCESS,
        data_in=plan.start.step.parameters, data_out=raw, error=None,
        started_at=started, finished_at=finished,
    )  # fmt: skip


# MERGED: Flows that receive the failures of others.


class FailureFlows:
    """Makes the executions by which failures are handed on. They are stored with the failure itself."""

    def __init__(self, plans: Plans, permissions: Permissions, clock: Callable[[], EpochMs]) -> None:
        self._plans = plans
        self._permissions = permissions
        self._clock = clock
        self._receivers: tuple[tuple[ActiveTrigger, Plan], ...] = ()
        self._owners: dict[FlowId, UserId | None] = {}

    def update(self, active: Iterable[ActiveTrigger]) -> None:
        """From now on these flows are published."""
        known = [(one, self._plans.of(one.version)) for one in active if one.version.steps]
        self._receivers = tuple((one, plan) for one, plan in known if receives_failures(plan.start.step))
        self._owners = {plan.flow_id: one.user_id for one, plan in known}

    def runs(
        self, plan: Plan, failed: PlannedStep, execution: tuple[ExecutionId, EpochMs], error: JsonObject,
        root_id: ExecutionId,
    ) -> tuple[NewExecution, ...]:  # fmt: skip
        """One execution for each flow that receives failures of this plan's flow; `execution` failed.

        They count in the tree of `root_id`, whose limit doesn't apply to them: a loop that was stopped is
        what people need to hear of. What they call is bounded by it again.
        """
        receivers = [found for one, found in self._receivers if self._receives(one, found, plan.flow_id)]
        if not receivers:
            return ()
        now = self._clock()
        item = failure_item(
            flow=(plan.flow_id, plan.version.name), execution=execution, error=error, failed_at=now,
            step=(failed.index + 1, failed.step.name or failed.label, failed.app_name),
        )  # fmt: skip
        tree = RunTree(root_id)
        return tuple(self._new_run(found, item, execution[0], tree, now) for found in receivers)

    def _receives(self, listener: ActiveTrigger, plan: Plan, flow_id: FlowId) -> bool:
        if not receives_failures_of(plan.start.step, flow_id):
            return False
        return not listener.own_only or self._owners.get(flow_id) == listener.user_id

    def _new_run(
        self, plan: Plan, item: JsonObject, origin: ExecutionId, tree: RunTree, now: EpochMs
    ) -> NewExecution:
        return NewExecution(
            permit=self._permissions.decide(plan),
            id=new_execution_id(), flow_id=plan.flow_id, flow_version=plan.version.number,
            state=ExecutionState.QUEUED if plan.has_actions else ExecutionState.SUCCESS,
            internal_id=f"failure-{origin}", origin_id=origin, origin_kind=Origin.FAILURE,
            tree=tree,
            trigger=trigger_outcome(plan, item, now, now), steps_total=plan.length, created_at=now,
        )  # fmt: skip


def receives_failures(trigger: Step) -> bool:
    """Whether a flow with this trigger receives failures at all."""
    chosen: FlowId = str(trigger.parameters.get("flow") or "")
    return receives_failures_of(trigger, chosen)


class Intake:
    """Where every execution begins, whoever caused it."""

    def __init__(
        self,
        store: EngineStore,
        dispatcher: Dispatcher,
        announcer: ChangeAnnouncer,
        permissions: Permissions,
        failure_flows: FailureFlows,
        clock: Callable[[], EpochMs],
        tree_limit: Callable[[], int],
        wake_up: Callable[[], None],
    ) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._announcer = announcer
        self._permissions = permissions
        self._failure_flows = failure_flows
        self._clock = clock
        self._tree_limit = tree_limit
        self._wake_up = wake_up

    def event(
        self,
        plan: Plan,
        item: TriggerItem,
        started: EpochMs,
        note: str | None = None,
        *,
        permit: Permit | None = None,
    ) -> NewExecution:
        """The execution of one item, not stored yet. A flow without actions is done at once.

        `permit` is that of the person who starts it; None for starts that nobody waits for.
        """
        now = self._clock()
        state = ExecutionState.QUEUED if plan.has_actions else ExecutionState.SUCCESS
        return NewExecution(
            id=new_execution_id(),
            flow_id=plan.flow_id,
            flow_version=plan.version.number,
            permit=permit or self._permissions.decide(plan),
            state=state,
            internal_id=item.internal_id,
            note=note,
            trigger=trigger_outcome(plan, item.raw, started, now),
            steps_total=plan.length,
            created_at=now,
        )

    def failure(
        self, plan: Plan, error: JsonObject, started: EpochMs, internal_id: str | None = None
    ) -> NewExecution:
        """The execution that tells that a trigger failed, not stored yet.

        `internal_id` names the item it failed for, which then counts as known.
        """
        now = self._clock()
        trigger = StepOutcome(
            seq=0, step_id=plan.start.step.id, status=StepState.FAILURE, error=error,
            data_in=plan.start.step.parameters, started_at=started, finished_at=now,
        )  # fmt: skip
        return NewExecution(
            id=new_execution_id(),
            flow_id=plan.flow_id,
            flow_version=plan.version.number,
            permit=self._permissions.decide(plan),
            state=ExecutionState.FAILURE,
            internal_id=internal_id,
            note=str(error["happened"]),
            trigger=trigger,
            steps_total=plan.length,
            created_at=now,
        )

    def failure_events(self, plan: Plan, failure: NewExecution) -> tuple[NewExecution, ...]:
        """The executions of flows that receive this failure of a trigger."""
        error = failure.trigger.error or {}
        return self._failure_flows.runs(plan, plan.start, (failure.id, failure.created_at), error, failure.id)

    def skipped(
        self, plan: Plan, error: JsonObject, started: EpochMs, internal_id: str | None
    ) -> tuple[NewExecution, ...]:
        """What tells of an item that is skipped: a failed execution, and the flows that receive failures."""
        failure = self.failure(plan, error, started, internal_id)
        return failure, *self.failure_events(plan, failure)

    async def accept(
        self, events: Sequence[NewExecution], trigger: TriggerState | None = None
    ) -> tuple[ExecutionId, ...]:
        """Store what is new and start it. Returns the ids of what was new.

        What a run asked for through the network counts in that run's tree; raises `RunTreeFull`. What a
        trigger found by itself (`trigger`) is nobody's doing.
        """
        if trigger is None and (root_id := current_run_root.get()) is not None:
            tree = RunTree(root_id, self._tree_limit())
            events = [event if event.tree else replace(event, tree=tree) for event in events]
        fresh = await self._store.accept(events, trigger)
        new = [event for event, is_new in zip(events, fresh, strict=True) if is_new]
        self.stored(new)
        return tuple(event.id for event in new)

    def stored(self, new: Iterable[NewExecution]) -> None:
        """These executions are stored: tell of them, and start those that wait to be."""
        for event in new:
            self._announcer.created(event.id)
            if event.state is ExecutionState.QUEUED:
                root_id = event.tree.root_id if event.tree else event.id
                self._dispatcher.submit(event.id, event.flow_id, root_id)

    def woken(self, execution_ids: Iterable[ExecutionId]) -> None:
        """These executions waited for another one and are queued again."""
        for execution_id in execution_ids:
            self._announcer.updated(execution_id)
        self._wake_up()
