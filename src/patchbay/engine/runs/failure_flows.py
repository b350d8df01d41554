"""Flows that receive the failures of others."""

from collections.abc import Callable, Iterable

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, JsonObject, UserId
from patchbay.domain.executions import ExecutionState, Origin
from patchbay.domain.flow_calls import failure_item, receives_failures_of
from patchbay.domain.flows import Step
from patchbay.domain.runs import ActiveTrigger, NewExecution, RunTree
from patchbay.engine.ids import new_execution_id
from patchbay.engine.permissions import Permissions
from patchbay.engine.plan import Plan, PlannedStep, Plans
from patchbay.engine.trigger_steps import trigger_outcome


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
