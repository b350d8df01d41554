"""The effects of a run on others: called flows, waiting callers, failure flows, and pausing a failing
flow.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from patchbay.domain.base import EpochMs, FlowId
from patchbay.domain.engine_store import (
    CalledFlowResult,
    EngineStore,
    NewExecution,
    Run,
    RunTransition,
    RunTree,
    StepOutcome,
)
from patchbay.domain.errors import AppError, Conflict, NotFound, StorageFault
from patchbay.domain.executions import ExecutionState, Origin, StepState
from patchbay.domain.flow_calls import ANSWER_ACTION, CALLED_TRIGGER, call_output, is_event
from patchbay.domain.peers import Peers
from patchbay.engine.app_calls import StepResult, failed
from patchbay.engine.dispatcher import PublishedFlowSettings
from patchbay.engine.intake import FailureFlows, Intake, new_execution_id, trigger_outcome
from patchbay.engine.plan import Plan, Plans
from patchbay.engine.run_permits import PermitIssuer
from patchbay.engine.runs.active_run import ActiveRun
from patchbay.integration.context import CallFlow

_log = logging.getLogger(__name__)

MAX_WAITING_CALLERS = 10
"""Maximum length of a chain of flows that wait for each other."""
MAX_CALL_DEPTH = 1_000
"""Maximum length of a chain of calls without waiting, such as a flow that calls itself for each page."""


@dataclass(frozen=True, slots=True)
class CommitEffects:
    """What is committed together with an outcome: new executions, and the result for a waiting caller."""

    begin: tuple[NewExecution, ...] = ()
    call_result: CalledFlowResult | None = None


NO_EFFECTS = CommitEffects()


class RunEffects:
    """Determines the effects of outcomes before they are committed, and starts them afterwards."""

    def __init__(
        self,
        store: EngineStore,
        plans: Plans,
        permits: PermitIssuer,
        failure_flows: FailureFlows,
        intake: Intake,
        flow_settings: PublishedFlowSettings,
        clock: Callable[[], EpochMs],
        tree_limit: Callable[[], int],
        on_flow_paused: Callable[[FlowId], None],
        peers: Peers,
    ) -> None:
        self._store = store
        self._plans = plans
        self._permits = permits
        self._failure_flows = failure_flows
        self._intake = intake
        self._flow_settings = flow_settings
        self._clock = clock
        self._tree_limit = tree_limit
        self._on_flow_paused = on_flow_paused
        self._peers = peers
        self._streaks: dict[str, int] = {}
        """Consecutive failures of each flow since the engine started; missing if not counted yet."""

    # Calls

    async def call(
        self, active_run: ActiveRun, requested_call: CallFlow, now: EpochMs
    ) -> tuple[StepResult, CommitEffects]:
        """Return the preliminary result of a step that calls a flow, and the execution to start.

        Raises `StorageFault`.
        """
        try:
            plan = await self._called_plan(active_run, requested_call)
        except StorageFault:
            raise
        except AppError as error:
            return failed(error, active_run.current_step), NO_EFFECTS
        child = NewExecution(
            permit=self._permits.permit_to_store(plan),
            id=new_execution_id(),
            flow_id=plan.flow_id,
            flow_version=plan.version.number,
            origin_id=active_run.run.id,
            origin_kind=Origin.CALL,
            origin_seq=active_run.cursor.seq if requested_call.wait and plan.has_actions else None,
            tree=RunTree(active_run.run.root_id, self._tree_limit()),
            state=ExecutionState.QUEUED if plan.has_actions else ExecutionState.SUCCESS,
            trigger=trigger_outcome(plan, requested_call.item, now, now),
            steps_total=plan.length,
            created_at=now,
        )
        if child.origin_seq is None:
            return StepResult(StepState.SUCCESS, call_output(child.id)), CommitEffects((child,))
        note = f"Waiting for the flow “{plan.version.name}”."
        return StepResult(StepState.RUNNING, note=note), CommitEffects((child,))

    async def _called_plan(self, active_run: ActiveRun, requested_call: CallFlow) -> Plan:
        version = await self._store.version(requested_call.flow_id, active_run.plan.flow_id)
        if version is None:
            raise NotFound(
                "The flow that this step calls isn't published.",
                todo="Publish it, or choose another flow in this step.",
            )
        plan = self._plans.of(version)
        if not is_event(plan.start.step, CALLED_TRIGGER):
            raise Conflict(
                f"The flow “{version.name}” can't be called by other flows.",
                todo="Change its trigger to “Called by another flow”, or choose another flow in this step.",
            )
        callers = await self._store.callers(active_run.run.id)
        if requested_call.wait and callers.waiting >= MAX_WAITING_CALLERS:
            raise _call_loop_error(f"More than {MAX_WAITING_CALLERS} flows would be waiting for each other.")
        if callers.total_callers >= MAX_CALL_DEPTH:
            raise _call_loop_error(f"The chain of calls exceeds {MAX_CALL_DEPTH:,} executions.")
        return plan

    # Ends

    async def end_effects(
        self, active_run: ActiveRun, last: StepOutcome, transition: RunTransition
    ) -> CommitEffects:
        """The effects of the end of a run, to commit with its last outcome. Raises `StorageFault`."""
        run, failure = active_run.run, transition.state is ExecutionState.FAILURE
        call_result = _call_result(active_run, last, transition) if run.has_waiting_caller else None
        begin: tuple[NewExecution, ...] = ()
        if (
            failure
            and not run.test_run
            and not run.has_waiting_caller
            and await self._can_notify_failure_flows(active_run)
        ):
            error = last.error or {"happened": transition.note}
            step = active_run.plan.step(last.step_id)
            begin = self._failure_flows.runs(
                active_run.plan, step, (run.id, run.created_at), error, run.root_id
            )
        return CommitEffects(begin, call_result) if begin or call_result else NO_EFFECTS

    async def _can_notify_failure_flows(self, active_run: ActiveRun) -> bool:
        """Whether failure flows may be started: not for runs that a failure led to, which could repeat
        forever.
        """
        run = active_run.run
        return run.origin_id is None or not await self._store.is_caused_by_failure(run.id)

    def start(self, begun: Sequence[NewExecution]) -> None:
        """Start executions that have been committed."""
        self._intake.stored(begun)

    async def apply_end(self, active_run: ActiveRun, state: ExecutionState) -> None:
        """Apply the effects that follow once the end of a run is committed."""
        self.wake_caller(active_run.run)
        if not active_run.run.test_run:
            await self._count_failures(active_run.plan, state)

    def wake_caller(self, run: Run) -> None:
        """Wake the run that waits for this one, whose result is committed."""
        if run.has_waiting_caller and run.origin_id is not None:
            self._intake.woken([run.origin_id])

    async def _count_failures(self, plan: Plan, state: ExecutionState) -> None:
        """Pause a flow that has failed too often in a row."""
        flow_id = plan.flow_id
        if state is not ExecutionState.FAILURE:
            if state is not ExecutionState.CANCELLED:
                self._streaks[flow_id] = 0
            return
        max_failures = self._flow_settings.of(flow_id).pause_after
        if max_failures is None or flow_id in self._flow_settings.paused:
            self._streaks.pop(flow_id, None)
            return
        try:
            # Runs of other programs don't change the counter.
            count = None if self._peers.are_possible else self._streaks.get(flow_id)
            count = (
                await self._store.consecutive_failures(flow_id, max_failures) if count is None else count + 1
            )
            self._streaks[flow_id] = count
            # The counter is only an estimate, since runs may end out of order; the store decides.
            if (
                count >= max_failures
                and await self._store.consecutive_failures(flow_id, max_failures) >= max_failures
            ):
                await self._pause(plan, max_failures)
        except AppError as error:
            _log.error("Couldn't count consecutive failures: %s", error.text())

    async def _pause(self, plan: Plan, max_failures: int) -> None:
        reason = f"Paused after {max_failures} failures in a row."
        if await self._store.pause_flow(plan.flow_id, reason, self._clock()):
            _log.warning(
                "The flow “%s” was paused after %d failures in a row.", plan.version.name, max_failures
            )
            self._streaks.pop(plan.flow_id, None)
            self._on_flow_paused(plan.flow_id)


def _call_loop_error(happened: str) -> Conflict:
    return Conflict(
        happened,
        meaning="Flows most likely call each other in a loop.",
        todo="Check which flow calls which.",
    )


def _call_result(active_run: ActiveRun, last: StepOutcome, transition: RunTransition) -> CalledFlowResult:
    """The result for the step that waits for this run."""
    run = active_run.run
    if transition.state in (ExecutionState.SUCCESS, ExecutionState.FILTERED):
        response_steps = [step for step in active_run.plan.steps if is_event(step.step, ANSWER_ACTION)]
        outputs = active_run.cursor.outputs
        return CalledFlowResult(
            status=StepState.SUCCESS,
            data=call_output(
                run.id,
                next(
                    (outputs[step.step.id] for step in reversed(response_steps) if step.step.id in outputs),
                    None,
                ),
            ),
        )
    name = active_run.plan.version.name
    return CalledFlowResult(
        status=StepState.FAILURE,
        error={
            "kind": "CalledFlowFailed",
            "happened": f"The called flow “{name}” failed. {transition.note or ''}".strip(),
            "meaning": "It returned no response.",
            "todo": "Open its execution to see what failed, then retry this one.",
            "executionId": run.id,
            "cause": last.error,
        },
    )
