"""Creates executions from trigger items, failures, and skipped items; stores and dispatches them."""

import random
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
from patchbay.domain.uuid_text import uuid_text
from patchbay.engine.changes import ChangeAnnouncer
from patchbay.engine.dispatcher import Dispatcher
from patchbay.engine.plan import Plan, PlannedStep, Plans
from patchbay.engine.run_permits import PermitIssuer

_VERSION_7 = 0x7 << 76
_VARIANT = 0x2 << 62
_COUNTER_BITS = 0xFFF
_tails = random.Random(random.SystemRandom().getrandbits(128))  # noqa: S311  # IDs needn't be unpredictable
_last = 0


def new_execution_id() -> ExecutionId:
    """A version 7 UUID that is larger than all earlier ones of this process.

    Events of one poll are created in the same millisecond. With increasing IDs they keep their order, and
    their rows are adjacent in the index.
    """
    global _last
    _last = max(_last + 1, now_ms() << 12)
    stamp, counter = _last >> 12, _last & _COUNTER_BITS
    tail = _tails.getrandbits(62)
    return ExecutionId(uuid_text((stamp << 80) | _VERSION_7 | (counter << 64) | _VARIANT | tail))


def trigger_outcome(plan: Plan, raw: Json, started: EpochMs, finished: EpochMs) -> StepOutcome:
    """The finished trigger step of a new execution. Parameters and event have been validated before."""
    return StepOutcome(
        seq=0,
        attempt=1,
        step_id=plan.start.step.id,
        status=StepState.SUCCESS,
        data_in=plan.start.step.parameters,
        data_out=raw,
        error=None,
        started_at=started,
        finished_at=finished,
    )


class FailureFlows:
    """Creates executions of flows that receive failures, to be stored together with the failure."""

    def __init__(self, plans: Plans, permits: PermitIssuer, clock: Callable[[], EpochMs]) -> None:
        self._plans = plans
        self._permits = permits
        self._clock = clock
        self._receivers: tuple[tuple[ActiveTrigger, Plan], ...] = ()
        self._owners: dict[FlowId, UserId | None] = {}

    def update(self, active: Iterable[ActiveTrigger]) -> None:
        """Replace the published flows."""
        known = [(one, self._plans.of(one.version)) for one in active if one.version.steps]
        self._receivers = tuple((one, plan) for one, plan in known if receives_failures(plan.start.step))
        self._owners = {plan.flow_id: one.user_id for one, plan in known}

    def runs(
        self,
        plan: Plan,
        failed: PlannedStep,
        execution: tuple[ExecutionId, EpochMs],
        error: JsonObject,
        root_id: ExecutionId,
    ) -> tuple[NewExecution, ...]:
        """One execution for each flow that receives failures of this plan's flow, after `execution` failed.

        The new executions count in the tree of `root_id`, but are exempt from its limit: otherwise it
        wouldn't be reported that the limit stopped a loop. Flows that they call are limited again.
        """
        receivers = [
            found
            for one, found in self._receivers
            if receives_failures_of(found.start.step, plan.flow_id)
            and (not one.own_only or self._owners.get(plan.flow_id) == one.user_id)
        ]
        if not receivers:
            return ()
        now = self._clock()
        item = failure_item(
            flow=(plan.flow_id, plan.version.name),
            execution=execution,
            error=error,
            failed_at=now,
            step=(failed.index + 1, failed.step.name or failed.label, failed.app_name),
        )
        tree = RunTree(root_id)
        return tuple(self._new_run(found, item, execution[0], tree, now) for found in receivers)

    def _new_run(
        self, plan: Plan, item: JsonObject, origin: ExecutionId, tree: RunTree, now: EpochMs
    ) -> NewExecution:
        return NewExecution(
            permit=self._permits.permit_to_store(plan),
            id=new_execution_id(),
            flow_id=plan.flow_id,
            flow_version=plan.version.number,
            state=ExecutionState.QUEUED if plan.has_actions else ExecutionState.SUCCESS,
            internal_id=f"failure-{origin}",
            origin_id=origin,
            origin_kind=Origin.FAILURE,
            tree=tree,
            trigger=trigger_outcome(plan, item, now, now),
            steps_total=plan.length,
            created_at=now,
        )


def receives_failures(trigger: Step) -> bool:
    """Whether a flow with this trigger receives failures of any flow."""
    chosen = FlowId(str(trigger.parameters.get("flow") or ""))
    return receives_failures_of(trigger, chosen)


class Intake:
    """Creates, stores, and dispatches all executions that aren't caused by a run's outcome."""

    def __init__(
        self,
        store: EngineStore,
        dispatcher: Dispatcher,
        announcer: ChangeAnnouncer,
        permits: PermitIssuer,
        failure_flows: FailureFlows,
        clock: Callable[[], EpochMs],
        tree_limit: Callable[[], int],
        wake_up: Callable[[], None],
        offer_work: Callable[[], None],
    ) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._announcer = announcer
        self._permits = permits
        self._failure_flows = failure_flows
        self._clock = clock
        self._tree_limit = tree_limit
        self._wake_up = wake_up
        self._offer_work = offer_work

    def new_execution(
        self,
        plan: Plan,
        item: TriggerItem,
        started: EpochMs,
        note: str | None = None,
        *,
        permit: Permit | None = None,
    ) -> NewExecution:
        """Create the execution of one item, without storing it. A flow without actions has finished at once.

        `permit` is that of the person who starts it; None for automatic starts.
        """
        now = self._clock()
        state = ExecutionState.QUEUED if plan.has_actions else ExecutionState.SUCCESS
        return NewExecution(
            id=new_execution_id(),
            flow_id=plan.flow_id,
            flow_version=plan.version.number,
            permit=permit or self._permits.permit_to_store(plan),
            state=state,
            internal_id=item.internal_id,
            note=note,
            trigger=trigger_outcome(plan, item.raw, started, now),
            steps_total=plan.length,
            created_at=now,
        )

    def failed_execution(
        self, plan: Plan, error: JsonObject, started: EpochMs, internal_id: str | None = None
    ) -> NewExecution:
        """Create the failed execution that records a failure of a trigger, without storing it.

        `internal_id` is the item it failed for, which then counts as known.
        """
        now = self._clock()
        trigger = StepOutcome(
            seq=0,
            step_id=plan.start.step.id,
            status=StepState.FAILURE,
            error=error,
            data_in=plan.start.step.parameters,
            started_at=started,
            finished_at=now,
        )
        return NewExecution(
            id=new_execution_id(),
            flow_id=plan.flow_id,
            flow_version=plan.version.number,
            permit=self._permits.permit_to_store(plan),
            state=ExecutionState.FAILURE,
            internal_id=internal_id,
            note=str(error["happened"]),
            trigger=trigger,
            steps_total=plan.length,
            created_at=now,
        )

    def failure_flow_executions(self, plan: Plan, failure: NewExecution) -> tuple[NewExecution, ...]:
        """Create the executions of flows that receive this failure of a trigger."""
        error = failure.trigger.error or {}
        return self._failure_flows.runs(plan, plan.start, (failure.id, failure.created_at), error, failure.id)

    def skipped_item_executions(
        self, plan: Plan, error: JsonObject, started: EpochMs, internal_id: str | None
    ) -> tuple[NewExecution, ...]:
        """Create the failed execution that records a skipped item, and those of flows that receive
        failures.
        """
        failure = self.failed_execution(plan, error, started, internal_id)
        return failure, *self.failure_flow_executions(plan, failure)

    async def accept(
        self, events: Sequence[NewExecution], trigger: TriggerState | None = None
    ) -> tuple[ExecutionId, ...]:
        """Store new events and start them. Returns the IDs of those that were new.

        Events that a run caused through the network count in that run's tree, unless they come from a trigger
        itself (`trigger`). Raises `RunTreeFull`.
        """
        if trigger is None and (root_id := current_run_root.get()) is not None:
            tree = RunTree(root_id, self._tree_limit())
            events = [event if event.tree else replace(event, tree=tree) for event in events]
        fresh = await self._store.accept(events, trigger)
        new = [event for event, is_new in zip(events, fresh, strict=True) if is_new]
        self.stored(new)
        return tuple(event.id for event in new)

    def stored(self, new: Iterable[NewExecution]) -> None:
        """Announce executions that have been stored, and dispatch the queued ones."""
        for event in new:
            self._announcer.created(event.id)
            if event.state is ExecutionState.QUEUED:
                root_id = event.tree.root_id if event.tree else event.id
                self._dispatcher.submit(event.id, event.flow_id, root_id)
                if self._dispatcher.has_backlog or not self._dispatcher.runs_here(event.flow_id):
                    self._offer_work()

    def woken(self, execution_ids: Iterable[ExecutionId]) -> None:
        """Announce executions that are queued again after a wait, and wake the timer."""
        for execution_id in execution_ids:
            self._announcer.updated(execution_id)
        self._wake_up()
        if self._dispatcher.leaves_flows:
            self._offer_work()
