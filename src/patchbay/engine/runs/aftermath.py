"""What a run does to others: flows it calls, who waits for it, who is told of its failure."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from patchbay.domain.base import EpochMs, Json
from patchbay.domain.engine_store import EngineStore
from patchbay.domain.errors import AppError, Conflict, NotFound, StorageFault
from patchbay.domain.executions import ExecutionState, Origin, StepState
from patchbay.domain.flow_calls import ANSWER, CALLED, call_output, is_event
from patchbay.domain.runs import Answer, Continue, NewExecution, Run, RunTree, StepOutcome
from patchbay.engine.calling.calls import StepResult, failed
from patchbay.engine.ids import new_execution_id
from patchbay.engine.intake import Intake
from patchbay.engine.permissions import Permissions
from patchbay.engine.plan import Plan, Plans
from patchbay.engine.rules import Rules
from patchbay.engine.runs.failure_flows import FailureFlows
from patchbay.engine.runs.journey import Journey
from patchbay.engine.trigger_steps import trigger_outcome
from patchbay.integration.signals import CallFlow

_log = logging.getLogger(__name__)

MOST_CALLERS = 10
"""Flows that may wait one for the other."""
MOST_CALLS = 1_000
"""Executions that may call one the other without waiting, as a flow does that calls itself page by page."""


@dataclass(frozen=True, slots=True)
class Effects:
    """What is stored together with an outcome: executions that begin, the answer to who waits."""

    begin: tuple[NewExecution, ...] = ()
    answer: Answer | None = None


NOTHING = Effects()


class Aftermath:
    """Works out the effects of outcomes before they are stored, and sets them going afterwards."""

    def __init__(
        self,
        store: EngineStore,
        plans: Plans,
        permissions: Permissions,
        failure_flows: FailureFlows,
        intake: Intake,
        rules: Rules,
        clock: Callable[[], EpochMs],
        tree_limit: Callable[[], int],
        flow_paused: Callable[[str], None],
    ) -> None:
        self._store = store
        self._plans = plans
        self._permissions = permissions
        self._failure_flows = failure_flows
        self._intake = intake
        self._rules = rules
        self._clock = clock
        self._tree_limit = tree_limit
        self._flow_paused = flow_paused
        self._streaks: dict[str, int] = {}
        """Failures in a row of each flow, as far as they were seen since the start."""

    # Calls

    async def call(self, journey: Journey, wanted: CallFlow, now: EpochMs) -> tuple[StepResult, Effects]:
        """What a step that calls a flow comes to for now, and the execution it begins.

        Raises `StorageFault`.
        """
        try:
            plan = await self._called(journey, wanted)
        except StorageFault:
            raise
        except AppError as error:
            return failed(error, journey.here), NOTHING
        child = NewExecution(
            permit=self._permissions.decide(plan),
            id=new_execution_id(), flow_id=plan.flow_id, flow_version=plan.version.number,
            origin_id=journey.run.id, origin_kind=Origin.CALL,
            origin_seq=journey.walk.seq if wanted.wait and plan.has_actions else None,
            tree=RunTree(journey.run.root_id, self._tree_limit()),
            state=ExecutionState.QUEUED if plan.has_actions else ExecutionState.SUCCESS,
            trigger=trigger_outcome(plan, wanted.item, now, now), steps_total=plan.length, created_at=now,
        )  # fmt: skip
        if child.origin_seq is None:
            return StepResult(StepState.SUCCESS, call_output(child.id)), Effects((child,))
        note = f"Waits for the flow “{plan.version.name}”."
        return StepResult(StepState.RUNNING, note=note), Effects((child,))

    async def _called(self, journey: Journey, wanted: CallFlow) -> Plan:
        version = await self._store.version(wanted.flow_id, journey.plan.flow_id)
        if version is None:
            raise NotFound(
                "The flow that this step calls is not published.",
                todo="Publish it, or choose another flow in this step.",
            )
        plan = self._plans.of(version)
        if not is_event(plan.start.step, CALLED):
            raise Conflict(
                f"The flow “{version.name}” does not start when another flow calls.",
                todo="Give it the trigger “Called by another flow”, or choose another flow in this step.",
            )
        callers = await self._store.callers(journey.run.id)
        if wanted.wait and callers.waiting >= MOST_CALLERS:
            raise _circle(f"More than {MOST_CALLERS} flows would wait one for the other.")
        if callers.in_all >= MOST_CALLS:
            raise _circle(f"More than {MOST_CALLS:,} executions would have called one the other.")
        return plan

    # Ends

    async def of(self, journey: Journey, last: StepOutcome, then: Continue) -> Effects:
        """What the end of a run does to others. Raises `StorageFault`."""
        run, failure = journey.run, then.state is ExecutionState.FAILURE
        answer = _answer(journey, last, then) if run.waited_for else None
        begin: tuple[NewExecution, ...] = ()
        if failure and not run.test_run and not run.waited_for and await self._may_tell(journey):
            error = last.error or {"happened": then.note}
            step = journey.plan.step(last.step_id)
            begin = self._failure_flows.runs(journey.plan, step, (run.id, run.created_at), error, run.root_id)
        return Effects(begin, answer) if begin or answer else NOTHING

    async def _may_tell(self, journey: Journey) -> bool:
        """What a failure led to must not lead to further failures without end."""
        run = journey.run
        return run.origin_id is None or not await self._store.led_by_failure(run.id)

    def start(self, begun: Sequence[NewExecution]) -> None:
        """These executions are stored."""
        self._intake.stored(begun)

    async def ended(self, journey: Journey, state: ExecutionState) -> None:
        """The end of this run is stored."""
        self.answered(journey.run)
        if not journey.run.test_run:
            await self._count(journey.plan, state)

    def answered(self, run: Run) -> None:
        """The end of this run is stored, and with it the answer to who waits for it."""
        if run.waited_for and run.origin_id is not None:
            self._intake.woken([run.origin_id])

    async def _count(self, plan: Plan, state: ExecutionState) -> None:
        """Hold a flow that only fails."""
        flow_id = plan.flow_id
        if state is not ExecutionState.FAILURE:
            if state is not ExecutionState.CANCELLED:
                self._streaks[flow_id] = 0
            return
        most = self._rules.of(flow_id).pause_after
        if most is None or flow_id in self._rules.paused:
            self._streaks.pop(flow_id, None)
            return
        try:
            count = self._streaks.get(flow_id)
            count = await self._store.failures_in_row(flow_id, most) if count is None else count + 1
            self._streaks[flow_id] = count
            if count >= most and await self._store.failures_in_row(flow_id, most) >= most:
                await self._pause(plan, most)
        except AppError as error:
            _log.error("Failures in a row could not be counted: %s", error.text())

    async def _pause(self, plan: Plan, most: int) -> None:
        reason = f"Paused after {most} failures in a row."
        if await self._store.pause_flow(plan.flow_id, reason, self._clock()):
            _log.warning("The flow “%s” was paused after %d failures in a row.", plan.version.name, most)
            self._streaks.pop(plan.flow_id, None)
            self._flow_paused(plan.flow_id)


def _circle(happened: str) -> Conflict:
    return Conflict(
        happened,
        meaning="Most likely flows call each other in a circle.",
        todo="Look at which flow calls which.",
    )


def _answer(journey: Journey, last: StepOutcome, then: Continue) -> Answer:
    """What the step gets that waits for this run."""
    run = journey.run
    if then.state in (ExecutionState.SUCCESS, ExecutionState.FILTERED):
        return Answer(status=StepState.SUCCESS, data=call_output(run.id, _given(journey)))
    name = journey.plan.version.name
    return Answer(
        status=StepState.FAILURE,
        error={
            "kind": "CalledFlowFailed",
            "happened": f"The flow “{name}” that this step called did not succeed. {then.note or ''}".strip(),
            "meaning": "It gave no answer.",
            "todo": "Look at its execution for what failed there, then retry this one.",
            "executionId": run.id,
            "cause": last.error,
        },
    )


def _given(journey: Journey) -> Json:
    """What the last of the run's answer steps put out."""
    answers = [step for step in journey.plan.steps if is_event(step.step, ANSWER)]
    outputs = journey.walk.outputs
    return next((outputs[step.step.id] for step in reversed(answers) if step.step.id in outputs), None)
