"""Turns trigger items into accepted executions: one commit, then off to the dispatcher."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from patchbay.domain.base import EpochMs, ExecutionId, JsonObject
from patchbay.domain.engine_store import EngineStore
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.ports import TriggerItem
from patchbay.domain.run_trees import current_run_root
from patchbay.domain.runs import NewExecution, Permit, RunTree, StepOutcome, TriggerState
from patchbay.engine.changes import ChangeAnnouncer
from patchbay.engine.dispatcher import Dispatcher
from patchbay.engine.ids import new_execution_id
from patchbay.engine.permissions import Permissions
from patchbay.engine.plan import Plan
from patchbay.engine.runs.failure_flows import FailureFlows
from patchbay.engine.trigger_steps import trigger_outcome


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
