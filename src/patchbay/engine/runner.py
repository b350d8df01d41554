"""One execution from its cursor to its end: claim, then intent, call and outcome for each step."""

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from patchbay.domain.base import EpochMs, ExecutionId, Json, StepId
from patchbay.domain.errors import PayloadTooLarge, StorageFault
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.ports import Continue, EngineStore, Run, StepOutcome
from patchbay.engine.calls import Caller, StepResult, failed
from patchbay.engine.changes import Announcer
from patchbay.engine.contexts import Call
from patchbay.engine.failures import interrupted
from patchbay.engine.ids import new_engine_id
from patchbay.engine.parameters import resolve_parameters, warnings
from patchbay.engine.plan import Plan, PlannedStep, Plans
from patchbay.engine.replies import Replies
from patchbay.integration.contract import OnInterrupted

_log = logging.getLogger(__name__)

MOST_ATTEMPTS = 5
STORAGE_PAUSE = 2.0
"""Seconds between two tries to write while the storage refuses."""


@dataclass(slots=True)
class _Journey:
    """A claimed run on its way. `failed` says which step failed and was passed over, `note` how it began."""

    run: Run
    plan: Plan
    outputs: dict[StepId, Json]
    cursor: int
    attempt: int
    failed: str | None
    note: str | None

    @property
    def here(self) -> PlannedStep:
        return self.plan.steps[self.cursor]

    @property
    def at_last(self) -> bool:
        return self.cursor == len(self.plan.steps) - 1


class Runner:
    """Runs executions. Holds nothing of a run that is not in the store, so a run may stop anywhere."""

    def __init__(
        self,
        store: EngineStore,
        plans: Plans,
        caller: Caller,
        replies: Replies,
        announcer: Announcer,
        clock: Callable[[], EpochMs],
        wake_at: Callable[[EpochMs], None],
    ) -> None:
        self._store = store
        self._plans = plans
        self._caller = caller
        self._replies = replies
        self._announcer = announcer
        self._clock = clock
        self._wake_at = wake_at
        self._tokens = (f"{new_engine_id()}-{number}" for number in itertools.count())
        self.stopping = False
        """Set when the engine stops: a run then goes back into the queue after the step it is at."""

    async def run(self, execution_id: ExecutionId) -> None:
        """Take the execution and run it until it ends, waits, or turns out to be somebody else's."""
        run = await self._store.claim(execution_id, next(self._tokens), self._clock())
        if run is None:
            return
        self._announcer.updated(execution_id)
        journey = self._journey(run)
        going = True
        if run.interrupted:
            going = await self._after_crash(journey)
        while going:
            going = await self._step(journey)

    def _journey(self, run: Run) -> _Journey:
        plan = self._plans.of(run.version)
        passed_over = _passed_over(plan.steps[run.failed[0]]) if run.failed else None
        note = run.note if run.cursor == 1 and run.attempt == 1 else None
        return _Journey(run, plan, dict(run.outputs), run.cursor, run.attempt, passed_over, note)

    async def _after_crash(self, journey: _Journey) -> bool:
        """What becomes of a step whose outcome is unknown. True: it is repeated."""
        planned = journey.here
        action, parameters = planned.action, planned.step.parameters
        if action is None or action.when_interrupted(parameters) is not OnInterrupted.ASK:
            return True
        error = interrupted(planned.label, planned.app_name)
        result = StepResult(StepState.FAILURE, error=error, note=f"{error['happened']} {error['todo']}")
        return await self._finish(journey, result, None, self._clock())

    async def _step(self, journey: _Journey) -> bool:
        """Run the step at the cursor. True: go on with the next one."""
        planned, run, started = journey.here, journey.run, self._clock()
        arguments = planned.action.arguments if planned.action else ()
        data_in = resolve_parameters(arguments, planned.step.parameters, journey.outputs)
        intent = StepOutcome.model_construct(
            seq=planned.seq,
            attempt=journey.attempt,
            step_id=planned.step.id,
            status=StepState.RUNNING,
            data_in=data_in,
            data_out=None,
            error=None,
            started_at=started,
            finished_at=started,
        )
        try:
            if not await self._keep(lambda: self._store.intent(run, intent)):
                return False
        except PayloadTooLarge as fault:
            return await self._finish(journey, failed(fault, planned), None, started)
        call = Call(
            planned=planned,
            flow_id=journey.plan.flow_id,
            parameters=data_in.copy(),
            execution_id=run.id,
            test_run=run.test_run,
        )
        result = await self._caller.action(call)
        if result.error is not None and (words := warnings(planned.step.parameters, journey.outputs)):
            result.error["warnings"] = words
        return await self._finish(journey, result, data_in, started)

    async def _finish(self, journey: _Journey, result: StepResult, data_in: Json, started: EpochMs) -> bool:
        """Store what the step did and where the run goes. True: it goes on now."""
        run, planned = journey.run, journey.here
        then = self._decide(journey, result)
        outcome = StepOutcome.model_construct(
            seq=planned.seq,
            attempt=journey.attempt,
            step_id=planned.step.id,
            status=result.status,
            data_in=data_in,
            data_out=result.data,
            error=result.error,
            started_at=started,
            finished_at=self._clock(),
        )
        try:
            if not await self._keep(lambda: self._store.outcome(run, outcome, then)):
                _log.warning("Execution %s was taken over by another engine.", run.id)
                return False
        except (PayloadTooLarge, TypeError, ValueError) as fault:
            if result.data is None and data_in is None:
                raise
            return await self._finish(journey, failed(fault, planned), None, started)
        if result.answer is not None:
            self._replies.answer(run.id, result.answer)
        if then.state is ExecutionState.RUNNING:
            journey.cursor, journey.attempt = then.cursor, 1
            if result.status is StepState.SUCCESS:
                journey.outputs[planned.step.id] = result.data
            return True
        self._leave(run.id, then)
        return False

    def _leave(self, execution_id: ExecutionId, then: Continue) -> None:
        self._announcer.updated(execution_id)
        if then.state is not ExecutionState.QUEUED:
            self._replies.moved(execution_id, then.state, then.note)
        if then.wake_at is not None:
            self._wake_at(then.wake_at)

    def _decide(self, journey: _Journey, result: StepResult) -> Continue:
        if result.status is StepState.FILTERED:
            return _end(journey, ExecutionState.FILTERED, result.note)
        if result.status is StepState.FAILURE:
            if result.retry_after is not None and journey.attempt < MOST_ATTEMPTS:
                return self._try_later(journey, result.retry_after)
            if not journey.here.step.continue_on_error:
                return _end(journey, ExecutionState.FAILURE, result.note)
            journey.failed = journey.failed or _passed_over(journey.here)
        if journey.at_last:
            state = ExecutionState.FAILURE if journey.failed else ExecutionState.SUCCESS
            return _end(journey, state, journey.failed or journey.note)
        return self._go_on(journey, result.park_until)

    def _go_on(self, journey: _Journey, park_until: EpochMs | None) -> Continue:
        following = journey.cursor + 1
        if park_until is not None and park_until > self._clock():
            note = f"Waits until {_local(park_until)}."
            return _continue(ExecutionState.WAITING, following, park_until, note)
        state = ExecutionState.QUEUED if self.stopping else ExecutionState.RUNNING
        return _continue(state, following, None, journey.note)

    def _try_later(self, journey: _Journey, seconds: float) -> Continue:
        planned = journey.here
        at = self._clock() + int(max(1.0, seconds) * 1000)
        note = (
            f"{planned.app_name} asked to wait until {_local(at)} "
            f"(attempt {journey.attempt} of {MOST_ATTEMPTS} at step {planned.seq + 1})."
        )
        return _continue(ExecutionState.WAITING, journey.cursor, at, note)

    async def _keep(self, write: Callable[[], Awaitable[bool]]) -> bool:
        """Write, again and again while the storage refuses: a step that was done must not be forgotten."""
        while True:
            try:
                return await write()
            except StorageFault as fault:
                if self.stopping or isinstance(fault, PayloadTooLarge):
                    raise
                _log.error("An execution cannot be stored: %s", fault.text())
                await asyncio.sleep(STORAGE_PAUSE)


def _continue(
    state: ExecutionState, cursor: int, wake_at: EpochMs | None = None, note: str | None = None
) -> Continue:
    return Continue(state=state, cursor=cursor, wake_at=wake_at, note=note)


def _end(journey: _Journey, state: ExecutionState, note: str | None) -> Continue:
    return _continue(state, journey.cursor + 1, None, note)


def _passed_over(planned: PlannedStep) -> str:
    return f"Step {planned.seq + 1} ({planned.label}) failed; the steps after it were run."


def _local(at: EpochMs) -> str:
    return datetime.fromtimestamp(at / 1000).strftime("%Y-%m-%d %H:%M")
