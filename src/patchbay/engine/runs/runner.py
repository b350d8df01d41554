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
from patchbay.domain.runs import CalledFlowResult, Run, RunTransition, StepOutcome
from patchbay.domain.sizes import THREAD_THRESHOLD, size_of
from patchbay.engine.calling.calls import StepResult, failed
from patchbay.engine.calling.failures import engine_fault_details, interrupted, stopped_twice_details
from patchbay.engine.changes import ChangeAnnouncer
from patchbay.engine.ids import new_engine_id
from patchbay.engine.permissions import Permissions
from patchbay.engine.plan import Plans
from patchbay.engine.runs.aftermath import NO_EFFECTS, RunEffects
from patchbay.engine.runs.journey import ActiveRun
from patchbay.engine.runs.steps import LimitWait, PreparedStep, StepRunner, run_in_thread_if_large
from patchbay.engine.starts.replies import PendingResponses
from patchbay.integration.contract import OnInterrupted

_log = logging.getLogger(__name__)
T = TypeVar("T")

MAX_CRASHES = 2
"""A step that was running so often when the program died is not run again by itself."""
STORAGE_RETRY_SECONDS = 2.0
"""Seconds between two tries to write while the storage refuses."""


class Runner:
    """Runs executions. Holds nothing of a run that is not in the store, so a run may stop anywhere."""

    def __init__(
        self,
        store: EngineStore,
        plans: Plans,
        permissions: Permissions,
        steps: StepRunner,
        run_effects: RunEffects,
        pending_responses: PendingResponses,
        announcer: ChangeAnnouncer,
        clock: Callable[[], EpochMs],
        wake_at: Callable[[EpochMs], None],
    ) -> None:
        self._store = store
        self._plans = plans
        self._permissions = permissions
        self._steps = steps
        self._run_effects = run_effects
        self._pending_responses = pending_responses
        self._announcer = announcer
        self._clock = clock
        self._wake_at = wake_at
        self._tokens = (f"{new_engine_id()}-{number}" for number in itertools.count())
        self._running: dict[ExecutionId, asyncio.Event | None] = {}
        """The runs being made; with whoever waits until one is left."""
        self.stopping = False
        """Set when the engine stops: a run then goes back into the queue after the step it is at."""

    async def run(self, execution_id: ExecutionId) -> None:
        """Take the execution and run it until it ends, waits, or turns out to be somebody else's."""
        self._running[execution_id] = None
        try:
            await self._run(execution_id)
        finally:
            released = self._running.pop(execution_id)
            self._steps.forget(execution_id)
            if released is not None:
                released.set()

    async def cancel(self, execution_id: ExecutionId, seconds: float) -> bool:
        """Cut off the step the run is at; False when the run is not left within so many seconds."""
        if execution_id not in self._running:
            return True
        released = self._running[execution_id] = self._running[execution_id] or asyncio.Event()
        self._steps.cancel(execution_id)
        try:
            async with asyncio.timeout(seconds):
                await released.wait()
        except TimeoutError:
            _log.warning("Execution %s does not let itself be cancelled yet.", execution_id)
            return False
        return True

    async def _run(self, execution_id: ExecutionId) -> None:
        token = next(self._tokens)
        run = await self._retry_on_storage_fault(
            lambda: self._store.claim(execution_id, token, self._clock())
        )
        if run is None:
            return
        self._announcer.updated(execution_id)
        active_run = None
        try:
            plan = self._plans.of(run.version)
            permit = await self._permissions.review(plan, full_rights=run.full_rights)
            output_size = size_of([mark.output for mark in run.marks], THREAD_THRESHOLD)
            active_run = await run_in_thread_if_large(output_size, ActiveRun.begin, run, plan, permit)
            if permit.refusal is not None:
                await self._fail_unpermitted(active_run, permit.refusal)
                return
            is_running = await self._resume(active_run)
            while is_running:
                is_running = await self._run_step(active_run)
        except Exception as error:
            if not isinstance(error, StorageFault) or isinstance(error, PayloadTooLarge):
                await self._fail_run(run, active_run)
            raise
        finally:
            self._wake_next_crashed_run(run)

    async def _fail_unpermitted(self, active_run: ActiveRun, refusal: Forbidden) -> None:
        """End a run that isn't permitted before its next step, whatever that step's policy says."""
        now, result = self._clock(), failed(refusal, active_run.current_step)
        outcome = _outcome(active_run, PreparedStep(now), StepState.FAILURE, result, now)
        transition = RunTransition(state=ExecutionState.FAILURE, cursor=outcome.seq + 1, note=result.note)
        end_effects = await self._retry_on_storage_fault(
            lambda: self._run_effects.of(active_run, outcome, transition)
        )
        if not await self._retry_on_storage_fault(
            lambda: self._store.outcome(
                active_run.run, outcome, transition, end_effects.begin, end_effects.answer
            )
        ):
            return
        self._run_effects.start(end_effects.begin)
        await self._release_run(active_run, transition)

    async def _resume(self, active_run: ActiveRun) -> bool:
        """What becomes of the step that the run was left at. True: go on with the step at the cursor."""
        run, prepared = active_run.run, PreparedStep(self._clock())
        if run.answered is not None:
            return await self._finish_step(active_run, prepared, _called_flow_step_result(run.answered))
        planned = active_run.current_step
        if run.crashes >= MAX_CRASHES:
            return await self._fail_unrun(active_run, prepared, stopped_twice_details(planned.label))
        if not run.interrupted:
            return True
        action, parameters = planned.action, planned.step.parameters
        if action is None or action.when_interrupted(parameters) is not OnInterrupted.ASK:
            return True
        with contextlib.suppress(AppError):  # the request is named where its values can be read again
            prepared = await self._steps.begin(active_run)
        target = action.target(prepared.data_in or {})
        return await self._fail_unrun(
            active_run, prepared, interrupted(planned.label, planned.app_name, target)
        )

    async def _fail_unrun(self, active_run: ActiveRun, prepared: PreparedStep, error: JsonObject) -> bool:
        """Let the step at the cursor fail without running it."""
        note = f"{error['happened']} {error['todo']}"
        return await self._finish_step(
            active_run, prepared, StepResult(StepState.FAILURE, error=error, note=note)
        )

    async def _run_step(self, active_run: ActiveRun) -> bool:
        """Make the step at the cursor. True: go on with the next one."""
        try:
            prepared = await self._steps.begin(active_run)
        except AppError as error:
            return await self._finish_step(
                active_run, PreparedStep(self._clock()), failed(error, active_run.current_step)
            )
        if (wait := await self._steps.wait_for_limits(active_run, prepared)) is not None:
            return await self._wait_for_limit(active_run, wait)
        if (result := await self._steps.evaluate_container_step(active_run)) is not None:
            return await self._finish_step(active_run, prepared, result)
        intent = _outcome(active_run, prepared, StepState.RUNNING, None, prepared.started)
        try:
            if not await self._retry_on_storage_fault(lambda: self._store.intent(active_run.run, intent)):
                return False
        except PayloadTooLarge as fault:
            return await self._finish_step(
                active_run, PreparedStep(prepared.started), failed(fault, active_run.current_step)
            )
        return await self._finish_step(active_run, prepared, await self._steps.call(active_run, prepared))

    async def _finish_step(self, active_run: ActiveRun, prepared: PreparedStep, result: StepResult) -> bool:
        """Store what the step did and where the run goes. True: it goes on now."""
        now, call = self._clock(), NO_EFFECTS
        if (requested_call := result.calls) is not None:
            result, call = await self._retry_on_storage_fault(
                lambda: self._run_effects.call(active_run, requested_call, now)
            )
        outcome = _outcome(active_run, prepared, result.status, result, now)
        transition = await run_in_thread_if_large(
            size_of(result.data, THREAD_THRESHOLD),
            partial(active_run.transition, result, now, self._steps.max_steps, stopping=self.stopping),
        )
        end_effects = NO_EFFECTS
        if transition.state.finished:
            end_effects = await self._retry_on_storage_fault(
                lambda: self._run_effects.of(active_run, outcome, transition)
            )
        begin = (*call.begin, *end_effects.begin)
        try:
            stored = await self._retry_on_storage_fault(
                lambda: self._store.outcome(active_run.run, outcome, transition, begin, end_effects.answer)
            )
        except (PayloadTooLarge, TypeError, ValueError) as fault:
            if result.data is None and prepared.data_in is None:
                raise
            active_run.roll_back()
            return await self._finish_step(
                active_run, PreparedStep(prepared.started), failed(fault, active_run.current_step)
            )
        except RunTreeFull as tree_error:
            active_run.roll_back()
            return await self._finish_step(active_run, prepared, failed(tree_error, active_run.current_step))
        if not stored:
            _log.warning("Execution %s was taken over by another engine.", active_run.run.id)
            return False
        if result.answer is not None:
            self._pending_responses.answer(active_run.run.id, result.answer)
        if begin:
            self._run_effects.start(begin)
        if transition.state is ExecutionState.RUNNING:
            active_run.advance()
            self._wake_next_crashed_run(active_run.run)
            return True
        await self._release_run(active_run, transition)
        return False

    def _wake_next_crashed_run(self, run: Run) -> None:
        """Of the runs that were at a step when the program died, the store hands out one at a time."""
        if run.crashes:
            self._wake_at(self._clock())

    async def _wait_for_limit(self, active_run: ActiveRun, wait: LimitWait) -> bool:
        """Leave the run until its turn comes, without making the step."""
        transition = active_run.wait_for_limit(self._clock() + int(wait.seconds * 1000), wait.held_by)
        if await self._retry_on_storage_fault(lambda: self._store.outcome(active_run.run, None, transition)):
            await self._release_run(active_run, transition)
        return False

    async def _release_run(self, active_run: ActiveRun, transition: RunTransition) -> None:
        execution_id = active_run.run.id
        if transition.state.finished:
            self._announcer.ended(execution_id, transition.state)
        else:
            self._announcer.updated(execution_id)
        if transition.state.finished or transition.waits_for is WaitsFor.DELAY:
            self._pending_responses.on_run_stopped(execution_id, transition.state, transition.note)
        if transition.wake_at is not None:
            self._wake_at(transition.wake_at)
        if transition.state.finished:
            await self._run_effects.ended(active_run, transition.state)

    async def _fail_run(self, run: Run, active_run: ActiveRun | None) -> None:
        """A mistake of the engine must not leave the run, or who waits for it, as if it still went on."""
        error, now = engine_fault_details(), self._clock()
        cursor, outcome, answer = run.cursor, None, None
        if active_run is not None:
            active_run.roll_back()
            cursor = active_run.cursor.seq
        if active_run is not None and not active_run.cursor.ended:
            result = StepResult(StepState.FAILURE, error=error)
            outcome = _outcome(active_run, PreparedStep(now), StepState.FAILURE, result, now)
            cursor += 1
        if run.has_waiting_caller:
            answer = CalledFlowResult(status=StepState.FAILURE, error=error)
        transition = RunTransition(state=ExecutionState.FAILURE, cursor=cursor, note=str(error["happened"]))
        if not await self._retry_on_storage_fault(
            lambda: self._store.outcome(run, outcome, transition, (), answer)
        ):
            return
        self._announcer.ended(run.id, transition.state)
        self._pending_responses.on_run_stopped(run.id, transition.state, transition.note)
        self._run_effects.answered(run)

    async def _retry_on_storage_fault(self, operation: Callable[[], Awaitable[T]]) -> T:
        """Ask again and again while the storage refuses: a step that was done must not be forgotten."""
        while True:
            try:
                return await operation()
            except StorageFault as fault:
                if self.stopping or isinstance(fault, PayloadTooLarge):
                    raise
                _log.error("An execution cannot be stored: %s", fault.text())
                await asyncio.sleep(STORAGE_RETRY_SECONDS)


def _outcome(
    active_run: ActiveRun,
    prepared: PreparedStep,
    status: StepState,
    result: StepResult | None,
    finished: EpochMs,
) -> StepOutcome:
    cursor = active_run.cursor
    return StepOutcome(
        seq=cursor.seq,
        attempt=active_run.attempt,
        step_id=cursor.current_step.step.id,
        status=status,
        data_in=prepared.data_in,
        data_out=result.data if result else None,
        error=result.error if result else None,
        warnings=(*prepared.warnings, *(result.warnings if result else ())),
        path=cursor.path,
        started_at=prepared.started,
        finished_at=finished,
    )


def _called_flow_step_result(answer: CalledFlowResult) -> StepResult:
    if answer.status is StepState.SUCCESS:
        return StepResult(StepState.SUCCESS, answer.data)
    error = answer.error or {}
    return StepResult(StepState.FAILURE, error=error, note=str(error.get("happened") or "The flow failed."))
