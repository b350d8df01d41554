"""One execution from its cursor to its end: claim, then intent, call and outcome for each step."""

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from patchbay.domain.base import EpochMs, ExecutionId, JsonObject
from patchbay.domain.engine_store import EngineStore
from patchbay.domain.errors import AppError, Forbidden, PayloadTooLarge, RunTreeFull, StorageFault
from patchbay.domain.executions import ExecutionState, StepState, WaitsFor
from patchbay.domain.runs import Answer, Continue, Run, StepOutcome
from patchbay.domain.sizes import LARGE, size_of
from patchbay.engine.calling.calls import StepResult, failed
from patchbay.engine.calling.failures import engine_fault, interrupted, stopped_twice
from patchbay.engine.changes import Announcer
from patchbay.engine.ids import new_engine_id
from patchbay.engine.permissions import Permissions
from patchbay.engine.plan import Plans
from patchbay.engine.runs.aftermath import NOTHING, Aftermath
from patchbay.engine.runs.journey import Journey
from patchbay.engine.runs.steps import Steps, Turn, Wait, beside_loop
from patchbay.engine.starts.replies import Replies
from patchbay.integration.contract import OnInterrupted

_log = logging.getLogger(__name__)
T = TypeVar("T")

MOST_CRASHES = 2
"""A step that was running so often when the program died is not run again by itself."""
STORAGE_PAUSE = 2.0
"""Seconds between two tries to write while the storage refuses."""


class Runner:
    """Runs executions. Holds nothing of a run that is not in the store, so a run may stop anywhere."""

    def __init__(
        self,
        store: EngineStore,
        plans: Plans,
        permissions: Permissions,
        steps: Steps,
        aftermath: Aftermath,
        replies: Replies,
        announcer: Announcer,
        clock: Callable[[], EpochMs],
        wake_at: Callable[[EpochMs], None],
    ) -> None:
        self._store = store
        self._plans = plans
        self._permissions = permissions
        self._steps = steps
        self._aftermath = aftermath
        self._replies = replies
        self._announcer = announcer
        self._clock = clock
        self._wake_at = wake_at
        self._tokens = (f"{new_engine_id()}-{number}" for number in itertools.count())
        self._here: dict[ExecutionId, asyncio.Event | None] = {}
        """The runs being made; with whoever waits until one is left."""
        self.stopping = False
        """Set when the engine stops: a run then goes back into the queue after the step it is at."""

    async def run(self, execution_id: ExecutionId) -> None:
        """Take the execution and run it until it ends, waits, or turns out to be somebody else's."""
        self._here[execution_id] = None
        try:
            await self._run(execution_id)
        finally:
            left = self._here.pop(execution_id)
            self._steps.forget(execution_id)
            if left is not None:
                left.set()

    async def cancel(self, execution_id: ExecutionId, seconds: float) -> bool:
        """Cut off the step the run is at; False when the run is not left within so many seconds."""
        if execution_id not in self._here:
            return True
        left = self._here[execution_id] = self._here[execution_id] or asyncio.Event()
        self._steps.cancel(execution_id)
        try:
            async with asyncio.timeout(seconds):
                await left.wait()
        except TimeoutError:
            _log.warning("Execution %s does not let itself be cancelled yet.", execution_id)
            return False
        return True

    async def _run(self, execution_id: ExecutionId) -> None:
        token = next(self._tokens)
        run = await self._keep(lambda: self._store.claim(execution_id, token, self._clock()))
        if run is None:
            return
        self._announcer.updated(execution_id)
        journey = None
        try:
            plan = self._plans.of(run.version)
            permit = await self._permissions.review(plan, full_rights=run.full_rights)
            held = size_of([mark.output for mark in run.marks], LARGE)
            journey = await beside_loop(held, Journey.begin, run, plan, permit)
            if permit.refusal is not None:
                await self._fail_unpermitted(journey, permit.refusal)
                return
            going = await self._take_up(journey)
            while going:
                going = await self._step(journey)
        except Exception as error:
            if not isinstance(error, StorageFault) or isinstance(error, PayloadTooLarge):
                await self._give_up(run, journey)
            raise
        finally:
            self._let_next_suspect_run(run)

    async def _fail_unpermitted(self, journey: Journey, refusal: Forbidden) -> None:
        """End a run that isn't permitted before its next step, whatever that step's policy says."""
        now, result = self._clock(), failed(refusal, journey.here)
        outcome = _outcome(journey, Turn(now), StepState.FAILURE, result, now)
        then = Continue(state=ExecutionState.FAILURE, cursor=outcome.seq + 1, note=result.note)
        ending = await self._keep(lambda: self._aftermath.of(journey, outcome, then))
        if not await self._keep(
            lambda: self._store.outcome(journey.run, outcome, then, ending.begin, ending.answer)
        ):
            return
        self._aftermath.start(ending.begin)
        await self._leave(journey, then)

    async def _take_up(self, journey: Journey) -> bool:
        """What becomes of the step that the run was left at. True: go on with the step at the cursor."""
        run, turn = journey.run, Turn(self._clock())
        if run.answered is not None:
            return await self._finish(journey, turn, _result(run.answered))
        planned = journey.here
        if run.crashes >= MOST_CRASHES:
            return await self._refuse(journey, turn, stopped_twice(planned.label))
        if not run.interrupted:
            return True
        action, parameters = planned.action, planned.step.parameters
        if action is None or action.when_interrupted(parameters) is not OnInterrupted.ASK:
            return True
        with contextlib.suppress(AppError):  # the request is named where its values can be read again
            turn = await self._steps.begin(journey)
        target = action.target(turn.data_in or {})
        return await self._refuse(journey, turn, interrupted(planned.label, planned.app_name, target))

    async def _refuse(self, journey: Journey, turn: Turn, error: JsonObject) -> bool:
        """Let the step at the cursor fail without running it."""
        note = f"{error['happened']} {error['todo']}"
        return await self._finish(journey, turn, StepResult(StepState.FAILURE, error=error, note=note))

    async def _step(self, journey: Journey) -> bool:
        """Make the step at the cursor. True: go on with the next one."""
        try:
            turn = await self._steps.begin(journey)
        except AppError as error:
            return await self._finish(journey, Turn(self._clock()), failed(error, journey.here))
        if (wait := await self._steps.hold_back(journey, turn)) is not None:
            return await self._park(journey, wait)
        if (result := await self._steps.structural(journey)) is not None:
            return await self._finish(journey, turn, result)
        intent = _outcome(journey, turn, StepState.RUNNING, None, turn.started)
        try:
            if not await self._keep(lambda: self._store.intent(journey.run, intent)):
                return False
        except PayloadTooLarge as fault:
            return await self._finish(journey, Turn(turn.started), failed(fault, journey.here))
        return await self._finish(journey, turn, await self._steps.call(journey, turn))

    async def _finish(self, journey: Journey, turn: Turn, result: StepResult) -> bool:
        """Store what the step did and where the run goes. True: it goes on now."""
        now, call = self._clock(), NOTHING
        if (wanted := result.calls) is not None:
            result, call = await self._keep(lambda: self._aftermath.call(journey, wanted, now))
        outcome = _outcome(journey, turn, result.status, result, now)
        then = await beside_loop(
            size_of(result.data, LARGE),
            partial(journey.after, result, now, self._steps.max_steps, stopping=self.stopping),
        )
        ending = NOTHING
        if then.state.finished:
            ending = await self._keep(lambda: self._aftermath.of(journey, outcome, then))
        begin = (*call.begin, *ending.begin)
        try:
            stored = await self._keep(
                lambda: self._store.outcome(journey.run, outcome, then, begin, ending.answer)
            )
        except (PayloadTooLarge, TypeError, ValueError) as fault:
            if result.data is None and turn.data_in is None:
                raise
            journey.take_back()
            return await self._finish(journey, Turn(turn.started), failed(fault, journey.here))
        except RunTreeFull as full:
            journey.take_back()
            return await self._finish(journey, turn, failed(full, journey.here))
        if not stored:
            _log.warning("Execution %s was taken over by another engine.", journey.run.id)
            return False
        if result.answer is not None:
            self._replies.answer(journey.run.id, result.answer)
        if begin:
            self._aftermath.start(begin)
        if then.state is ExecutionState.RUNNING:
            journey.go_on()
            self._let_next_suspect_run(journey.run)
            return True
        await self._leave(journey, then)
        return False

    def _let_next_suspect_run(self, run: Run) -> None:
        """Of the runs that were at a step when the program died, the store hands out one at a time."""
        if run.crashes:
            self._wake_at(self._clock())

    async def _park(self, journey: Journey, wait: Wait) -> bool:
        """Leave the run until its turn comes, without making the step."""
        then = journey.held_back(self._clock() + int(wait.seconds * 1000), wait.held_by)
        if await self._keep(lambda: self._store.outcome(journey.run, None, then)):
            await self._leave(journey, then)
        return False

    async def _leave(self, journey: Journey, then: Continue) -> None:
        execution_id = journey.run.id
        if then.state.finished:
            self._announcer.ended(execution_id, then.state)
        else:
            self._announcer.updated(execution_id)
        if then.state.finished or then.waits_for is WaitsFor.DELAY:
            self._replies.moved(execution_id, then.state, then.note)
        if then.wake_at is not None:
            self._wake_at(then.wake_at)
        if then.state.finished:
            await self._aftermath.ended(journey, then.state)

    async def _give_up(self, run: Run, journey: Journey | None) -> None:
        """A mistake of the engine must not leave the run, or who waits for it, as if it still went on."""
        error, now = engine_fault(), self._clock()
        cursor, outcome, answer = run.cursor, None, None
        if journey is not None:
            journey.take_back()
            cursor = journey.walk.seq
        if journey is not None and not journey.walk.ended:
            result = StepResult(StepState.FAILURE, error=error)
            outcome = _outcome(journey, Turn(now), StepState.FAILURE, result, now)
            cursor += 1
        if run.waited_for:
            answer = Answer(status=StepState.FAILURE, error=error)
        then = Continue(state=ExecutionState.FAILURE, cursor=cursor, note=str(error["happened"]))
        if not await self._keep(lambda: self._store.outcome(run, outcome, then, (), answer)):
            return
        self._announcer.ended(run.id, then.state)
        self._replies.moved(run.id, then.state, then.note)
        self._aftermath.answered(run)

    async def _keep(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask again and again while the storage refuses: a step that was done must not be forgotten."""
        while True:
            try:
                return await ask()
            except StorageFault as fault:
                if self.stopping or isinstance(fault, PayloadTooLarge):
                    raise
                _log.error("An execution cannot be stored: %s", fault.text())
                await asyncio.sleep(STORAGE_PAUSE)


def _outcome(
    journey: Journey, turn: Turn, status: StepState, result: StepResult | None, finished: EpochMs
) -> StepOutcome:
    walk = journey.walk
    return StepOutcome(
        seq=walk.seq,
        attempt=journey.attempt,
        step_id=walk.here.step.id,
        status=status,
        data_in=turn.data_in,
        data_out=result.data if result else None,
        error=result.error if result else None,
        warnings=(*turn.warnings, *(result.warnings if result else ())),
        path=walk.path,
        started_at=turn.started,
        finished_at=finished,
    )


def _result(answer: Answer) -> StepResult:
    if answer.status is StepState.SUCCESS:
        return StepResult(StepState.SUCCESS, answer.data)
    error = answer.error or {}
    return StepResult(StepState.FAILURE, error=error, note=str(error.get("happened") or "The flow failed."))
