"""Runs executions: claim one, then for each step store the intent, call the app, and store the outcome.

`StepRunner` calls a single step, within its limits and timeout. `Runner` runs an execution to its end.
"""

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from typing import NamedTuple, TypeVar

from patchbay.domain.base import AppKey, EpochMs, ExecutionId, FlowId, JsonObject
from patchbay.domain.engine import EngineSettings
from patchbay.domain.engine_store import CalledFlowResult, EngineStore, Run, RunTransition, StepOutcome
from patchbay.domain.errors import AppError, Forbidden, PayloadTooLarge, RunTreeFull, StorageFault
from patchbay.domain.executions import ExecutionState, StepState, WaitsFor
from patchbay.domain.json_limits import THREAD_THRESHOLD, size_of
from patchbay.domain.lazy_timeouts import LazyTimeout
from patchbay.domain.variables import RUN, run_values
from patchbay.engine.app_calls import AppCaller, Call, StepResult, failed
from patchbay.engine.changes import ChangeAnnouncer
from patchbay.engine.parameters import iso_time, missing_value_warnings, resolve_with_warnings
from patchbay.engine.peer_work import PeerWork
from patchbay.engine.plan import PlannedStep, Plans
from patchbay.engine.run_permits import PermitIssuer
from patchbay.engine.runs.active_run import ActiveRun, called_flow_step_result
from patchbay.engine.runs.container_steps import ContainerSteps, decision_inputs
from patchbay.engine.runs.rate_limits import app_hold_key, host_hold_key
from patchbay.engine.runs.run_effects import NO_EFFECTS, CommitEffects, RunEffects
from patchbay.engine.runs.shared_limits import SharedLimits
from patchbay.engine.step_errors import (
    cancelled_before_step_details,
    cancelled_step_details,
    engine_fault_details,
    interrupted,
    step_timeout_error,
    stopped_twice_details,
)
from patchbay.engine.threads import run_in_thread_if_large
from patchbay.engine.triggers.webhook_responses import PendingResponses
from patchbay.integration.app_definition import OnInterrupted

_log = logging.getLogger(__name__)

T = TypeVar("T")

MAX_INLINE_WAIT_SECONDS = 2.0
"""For a longer wait for a rate limit, the run is stored as waiting and its slot is freed."""
MAX_CRASHES = 2
"""A step that was running in this many crashes isn't run again automatically."""
STORAGE_RETRY_SECONDS = 2.0
"""Delay between two attempts to write while the storage fails."""


@dataclass(slots=True)
class PreparedStep:
    """A step that is about to be called: its start time, its input, and warnings about missing values."""

    started: EpochMs
    data_in: JsonObject | None = None
    warnings: tuple[str, ...] = ()
    is_input_stored: bool = False
    """Whether the intent was stored, with the input."""


class LimitWait(NamedTuple):
    """How long a step has to wait before it can be called."""

    seconds: float
    requested_by: str | None
    """The host or service that asked to wait; None for a configured rate limit."""


class StepRunner:
    """Prepares and calls the current step of a run, and interrupts it on timeout or cancellation."""

    def __init__(
        self,
        caller: AppCaller,
        container_steps: ContainerSteps,
        limits: SharedLimits,
        clock: Callable[[], EpochMs],
        settings: Callable[[], EngineSettings],
        owner_of: Callable[[FlowId], str],
        zone_of: Callable[[FlowId], tzinfo],
    ) -> None:
        self._caller = caller
        self._container_steps = container_steps
        self._limits = limits
        self._clock = clock
        self._settings = settings
        self._owner_of = owner_of
        self._zone_of = zone_of
        self._timeouts: dict[ExecutionId, asyncio.Timeout] = {}
        self._cancelled: set[ExecutionId] = set()

    def cancel(self, execution_id: ExecutionId) -> None:
        """Interrupt the run's current step. A run that is between two steps ends before the next one."""
        self._cancelled.add(execution_id)
        self._limits.discard(execution_id)
        # Moving the deadline to now ends the call like a timeout. Cancelling the task would end the whole run
        # instead, before the outcome is stored.
        scope = self._timeouts.get(execution_id)
        if scope is not None and not scope.expired():
            scope.reschedule(asyncio.get_running_loop().time())

    def is_cancelled(self, execution_id: ExecutionId) -> bool:
        """Whether the run has been cancelled, but hasn't stopped yet."""
        return execution_id in self._cancelled

    def on_run_released(self, execution_id: ExecutionId) -> None:
        """Clear the cancellation of a run that the runner has stopped running."""
        self._cancelled.discard(execution_id)

    async def wait_for_limits(self, active_run: ActiveRun, prepared: PreparedStep) -> LimitWait | None:
        """Wait until rate limits allow the step; return a `LimitWait` if that is too long for a slot."""
        current_step = active_run.current_step
        if current_step.app is None:
            return None
        connection_id, key = current_step.step.connection_id, self._hold_key(active_run, prepared)
        left = MAX_INLINE_WAIT_SECONDS
        while wait_seconds := await self._limits.acquire(
            connection_id, current_step.app.app_key, active_run.run.id, key
        ):
            left -= wait_seconds
            if left < 0:
                return LimitWait(wait_seconds, self._limits.held_by(key))
            await asyncio.sleep(wait_seconds)
            if active_run.run.id in self._cancelled:
                return None
        prepared.started = self._clock()
        return None

    def find_cancellation(self, active_run: ActiveRun) -> StepResult | None:
        """The result of the current step if the run was cancelled before the step ran; otherwise None."""
        if active_run.run.id not in self._cancelled:
            return None
        error = cancelled_before_step_details(active_run.current_step.label)
        return StepResult(StepState.CANCELLED, error=error, note="Cancelled.")

    async def begin(self, active_run: ActiveRun) -> PreparedStep:
        """Prepare the current step: replace the references in its parameters. It starts now."""
        current_step, run = active_run.current_step, active_run.run
        prepared = PreparedStep(self._clock())
        now = iso_time(prepared.started, self._zone_of(active_run.plan.flow_id))
        active_run.cursor.outputs[RUN] = run_values(run.id, active_run.plan.flow_id, now)
        arguments = current_step.action.arguments if current_step.action else ()
        if current_step.kind.is_container:
            prepared.warnings = missing_value_warnings(
                decision_inputs(active_run.plan, current_step), active_run.cursor.outputs
            )
        else:
            prepared.data_in, prepared.warnings = await run_in_thread_if_large(
                active_run.cursor.output_size,
                resolve_with_warnings,
                arguments,
                current_step.step.parameters,
                active_run.cursor.outputs,
            )
        return prepared

    async def evaluate_container_step(self, active_run: ActiveRun) -> StepResult | None:
        """The result of the current step if it is a container (branches or loop); None for steps of apps."""
        cursor = active_run.cursor
        return await self._container_steps.evaluate(
            active_run.plan, active_run.current_step, cursor.outputs, cursor.output_size
        )

    @property
    def max_steps(self) -> int:
        """Maximum number of steps per execution."""
        return self._settings().max_steps

    async def call(self, active_run: ActiveRun, prepared: PreparedStep) -> StepResult:
        """Call the current step. Only raises if the task itself is cancelled."""
        current_step, run = active_run.current_step, active_run.run
        if (cancellation := self.find_cancellation(active_run)) is not None:
            return cancellation
        call = Call(
            planned=current_step,
            flow_id=active_run.plan.flow_id,
            parameters=(prepared.data_in or {}).copy(),
            permit=active_run.permit,
            execution_id=run.id,
            root_id=run.root_id,
            idempotency_key=_idempotency_key(active_run),
            test_run=run.test_run,
        )
        seconds = current_step.timeout_seconds
        try:
            async with LazyTimeout(asyncio.get_running_loop().time() + seconds) as scope:
                self._timeouts[run.id] = scope
                result = await self._caller.action(call)
        except TimeoutError:
            if run.id in self._cancelled:
                return _cancelled(current_step)
            return failed(
                step_timeout_error(current_step.label, current_step.app_name, seconds), current_step
            )
        finally:
            self._timeouts.pop(run.id, None)
        if result.status is StepState.FAILURE and run.id in self._cancelled:
            return _cancelled(current_step)
        if result.retry_after is not None:
            result.retry_after = min(result.retry_after, self._settings().max_retry_after)
            key = self._hold_key(active_run, prepared, result.rejected_at)
            name = result.rejected_by or current_step.app_name
            self._limits.hold(key, result.retry_after, name, run.id)
        return result

    def _hold_key(self, active_run: ActiveRun, prepared: PreparedStep, rejected_at: str = "") -> str:
        """The key under which calls are held if the service asks this step to wait.

        That is its connection, or else the host it calls, for flows of the same owner only, or if the host is
        unknown, the app. If the host redirected to another one that asked to wait, that one is held.
        """
        current_step, owner = active_run.current_step, self._owner_of(active_run.plan.flow_id)
        if rejected_at:
            return host_hold_key(rejected_at, owner)
        if current_step.step.connection_id is not None:
            return current_step.step.connection_id
        target = (
            current_step.action.target(prepared.data_in or {}) if current_step.action is not None else None
        )
        if target is not None and target.host:
            return host_hold_key(target.host, owner)
        return app_hold_key(current_step.app.app_key if current_step.app is not None else AppKey(""), owner)


def _idempotency_key(active_run: ActiveRun) -> str:
    """A key for this step of this run, in this loop item, that stays the same when the run is retried."""
    path, place = active_run.cursor.path, f"{active_run.run.run_key}:{active_run.current_step.index}"
    return place if path is None else f"{place}.{path}"


def _cancelled(current_step: PlannedStep) -> StepResult:
    error = cancelled_step_details(current_step.label, current_step.app_name)
    return StepResult(StepState.CANCELLED, error=error, note="Cancelled.")


class Runner:
    """Runs executions. All state of a run is in the store, so that it can be interrupted at any time."""

    def __init__(
        self,
        store: EngineStore,
        plans: Plans,
        permits: PermitIssuer,
        steps: StepRunner,
        run_effects: RunEffects,
        pending_responses: PendingResponses,
        announcer: ChangeAnnouncer,
        clock: Callable[[], EpochMs],
        wake_at: Callable[[EpochMs], None],
        program_id: str,
        peer_work: PeerWork,
    ) -> None:
        self._store = store
        self._plans = plans
        self._permits = permits
        self._steps = steps
        self._run_effects = run_effects
        self._pending_responses = pending_responses
        self._announcer = announcer
        self._clock = clock
        self._wake_at = wake_at
        self._peer_work = peer_work
        self._tokens = (f"{program_id}-{number}" for number in itertools.count())
        self._running: dict[ExecutionId, asyncio.Event | None] = {}
        """The executions that are running.

        The event is set when one stops running, for those who wait for it.
        """
        self.stopping = False
        """Set when the engine stops: each run is then queued again after its current step."""

    async def run(self, execution_id: ExecutionId) -> None:
        """Claim an execution and run it until it ends, waits, or another engine claims it."""
        self._running[execution_id] = None
        try:
            await self._run(execution_id)
        finally:
            released = self._running.pop(execution_id)
            self._steps.on_run_released(execution_id)
            if released is not None:
                released.set()

    def runs_here(self, execution_id: ExecutionId) -> bool:
        """Whether this program runs an execution now."""
        return execution_id in self._running

    def is_cancelled(self, execution_id: ExecutionId) -> bool:
        """Whether an execution that this program runs has been cancelled."""
        return self._steps.is_cancelled(execution_id)

    def interrupt(self, execution_id: ExecutionId) -> None:
        """Interrupt the current step of an execution, if this program runs it."""
        if execution_id in self._running:
            self._steps.cancel(execution_id)

    async def cancel(self, execution_id: ExecutionId, seconds: float) -> bool:
        """Interrupt the run's current step; False if the run doesn't stop within so many seconds."""
        if execution_id not in self._running:
            return True
        released = self._running[execution_id] = self._running[execution_id] or asyncio.Event()
        self._steps.cancel(execution_id)
        try:
            async with asyncio.timeout(seconds):
                await released.wait()
        except TimeoutError:
            _log.warning("Execution %s couldn't be cancelled yet.", execution_id)
            return False
        return True

    async def _run(self, execution_id: ExecutionId) -> None:
        # A new token for each claim: if another engine claims the run later, writes with the old one fail.
        token = next(self._tokens)
        run = await self._retry_on_storage_fault(
            lambda: self._store.claim(execution_id, token, self._clock())
        )
        if run is None:
            self._peer_work.look_again()
            return
        self._announcer.updated(execution_id)
        active_run = None
        try:
            plan = self._plans.of(run.version)
            permit = await self._permits.permit_to_run(
                plan, full_rights=run.full_rights, approval_ended=run.approval_ended
            )
            output_size = sum(step.size or 0 for step in run.finished_steps)
            active_run = await run_in_thread_if_large(output_size, ActiveRun.begin, run, plan, permit)
            if permit.rejection is not None:
                await self._fail_not_permitted(active_run, permit.rejection)
                return
            is_running = await self._resume(active_run)
            while is_running:
                is_running = await self._run_step(active_run)
        except Exception as error:
            # After a storage fault, the run can't be marked as failed either. The next start recovers it.
            if not isinstance(error, StorageFault) or isinstance(error, PayloadTooLarge):
                await self._fail_run(run, active_run)
            raise
        finally:
            self._wake_next_run_after_crash(run)

    async def _fail_not_permitted(self, active_run: ActiveRun, rejection: Forbidden) -> None:
        """Fail a run without permission before its next step, regardless of that step's policy."""
        now, result = self._clock(), failed(rejection, active_run.current_step)
        outcome = _outcome(active_run, PreparedStep(now), StepState.FAILURE, result, now)
        transition = RunTransition(state=ExecutionState.FAILURE, cursor=outcome.seq + 1, note=result.note)
        end_effects = await self._retry_on_storage_fault(
            lambda: self._run_effects.end_effects(active_run, outcome, transition)
        )
        if not await self._retry_on_storage_fault(
            lambda: self._store.outcome(
                active_run.run, outcome, transition, end_effects.begin, end_effects.call_result
            )
        ):
            return
        self._run_effects.start(end_effects.begin)
        await self._release_run(active_run, transition)

    async def _resume(self, active_run: ActiveRun) -> bool:
        """Handle the step at which the run was interrupted or waited.

        True: continue with the step at the cursor.
        """
        run, prepared = active_run.run, PreparedStep(self._clock())
        if run.call_result is not None:
            return await self._finish_step(active_run, prepared, called_flow_step_result(run.call_result))
        planned = active_run.current_step
        if run.crashes >= MAX_CRASHES:
            return await self._fail_without_calling(
                active_run, prepared, stopped_twice_details(planned.label)
            )
        if not run.interrupted:
            return True
        # The step was called before the crash, and may have been completed.
        action, parameters = planned.action, planned.step.parameters
        if action is None or action.interruption_policy(parameters) is not OnInterrupted.ASK:
            return True
        with contextlib.suppress(AppError):  # the input is only needed to name the request in the error
            prepared = await self._steps.begin(active_run)
        target = action.target(prepared.data_in or {})
        return await self._fail_without_calling(
            active_run, prepared, interrupted(planned.label, planned.app_name, target)
        )

    async def _fail_without_calling(
        self, active_run: ActiveRun, prepared: PreparedStep, error: JsonObject
    ) -> bool:
        """Fail the step at the cursor without running it."""
        result = StepResult(StepState.FAILURE, error=error, note=str(error["happened"]))
        return await self._finish_step(active_run, prepared, result)

    async def _run_step(self, active_run: ActiveRun) -> bool:
        """Run the step at the cursor. True: continue with the next one."""
        try:
            prepared = await self._steps.begin(active_run)
        except AppError as error:
            return await self._finish_step(
                active_run, PreparedStep(self._clock()), failed(error, active_run.current_step)
            )
        if (wait := await self._steps.wait_for_limits(active_run, prepared)) is not None:
            transition = active_run.limit_transition(
                self._clock() + int(wait.seconds * 1000), wait.requested_by
            )
            if await self._retry_on_storage_fault(
                lambda: self._store.outcome(active_run.run, None, transition)
            ):
                await self._release_run(active_run, transition)
            return False
        result = self._steps.find_cancellation(active_run)
        result = result or await self._steps.evaluate_container_step(active_run)
        if result is not None:
            return await self._finish_step(active_run, prepared, result)
        if active_run.current_step.needs_intent:
            # Committed before the call: after a crash, this is how the step is known to have been running.
            intent = _outcome(active_run, prepared, StepState.RUNNING, None, prepared.started)
            try:
                if not await self._retry_on_storage_fault(lambda: self._store.intent(active_run.run, intent)):
                    return False
            except PayloadTooLarge as fault:
                return await self._finish_step(
                    active_run, PreparedStep(prepared.started), failed(fault, active_run.current_step)
                )
            prepared.is_input_stored = True
        return await self._finish_step(active_run, prepared, await self._steps.call(active_run, prepared))

    async def _finish_step(self, active_run: ActiveRun, prepared: PreparedStep, result: StepResult) -> bool:
        """Store the outcome of the step and the run's next state. True: the run continues now."""
        now, call, current_step = self._clock(), NO_EFFECTS, active_run.current_step
        if (requested_call := result.called_flow) is not None:
            result, call = await self._retry_on_storage_fault(
                lambda: self._run_effects.call(active_run, requested_call, now)
            )
        size = size_of(result.data, THREAD_THRESHOLD)
        outcome = _outcome(active_run, prepared, result.status, result, now, size)
        transition = await run_in_thread_if_large(
            size,
            partial(
                active_run.transition,
                result,
                now,
                self._steps.max_steps,
                stopping=self.stopping,
                size=size if size <= THREAD_THRESHOLD else None,
            ),
        )
        end_effects = await self._end_effects(active_run, outcome, transition)
        begin = (*call.begin, *end_effects.begin)
        goes_on = transition.state is ExecutionState.RUNNING and not begin
        can_defer = goes_on and _can_repeat(active_run, result, current_step)
        try:
            stored = await self._retry_on_storage_fault(
                lambda: (
                    self._store.defer_outcome(active_run.run, outcome, transition)
                    if can_defer
                    else self._store.outcome(
                        active_run.run, outcome, transition, begin, end_effects.call_result
                    )
                )
            )
        except (PayloadTooLarge, TypeError, ValueError) as fault:
            # The data is too large or isn't JSON: fail the step, storing neither its input nor its output.
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
            _log.warning("Execution %s was claimed by another engine.", active_run.run.id)
            return False
        if result.webhook_response is not None:
            self._peer_work.respond(active_run.run.id, result.webhook_response)
        if begin:
            self._run_effects.start(begin)
        if transition.state is ExecutionState.RUNNING:
            active_run.advance()
            self._wake_next_run_after_crash(active_run.run)
            return True
        await self._release_run(active_run, transition)
        return False

    async def _end_effects(
        self, active_run: ActiveRun, outcome: StepOutcome, transition: RunTransition
    ) -> CommitEffects:
        has_failed = transition.state is ExecutionState.FAILURE
        if not has_failed and not (transition.state.finished and active_run.run.has_waiting_caller):
            return NO_EFFECTS
        return await self._retry_on_storage_fault(
            lambda: self._run_effects.end_effects(active_run, outcome, transition)
        )

    def _wake_next_run_after_crash(self, run: Run) -> None:
        """Look for the next run whose step was running during a crash.

        `EngineStore.due` returns these one at a time.
        """
        if run.crashes:
            self._wake_at(self._clock())

    async def _release_run(self, active_run: ActiveRun, transition: RunTransition) -> None:
        """Announce that the run has ended or waits, respond to callers, and set the timer for its wake-up."""
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
            await self._run_effects.apply_end(active_run, transition.state)

    async def _fail_run(self, run: Run, active_run: ActiveRun | None) -> None:
        """Fail a run after an engine bug, so that neither it nor a run that waits for it seems to be
        running.
        """
        error, now = engine_fault_details(), self._clock()
        cursor = run.cursor
        outcome = None
        call_result = None
        if active_run is not None:
            active_run.roll_back()
            cursor = active_run.cursor.seq
        if active_run is not None and not active_run.cursor.ended:
            result = StepResult(StepState.FAILURE, error=error)
            outcome = _outcome(active_run, PreparedStep(now), StepState.FAILURE, result, now)
            cursor += 1
        if run.has_waiting_caller:
            call_result = CalledFlowResult(status=StepState.FAILURE, error=error)
        transition = RunTransition(state=ExecutionState.FAILURE, cursor=cursor, note=str(error["happened"]))
        if not await self._retry_on_storage_fault(
            lambda: self._store.outcome(run, outcome, transition, (), call_result)
        ):
            return
        self._announcer.ended(run.id, transition.state)
        self._pending_responses.on_run_stopped(run.id, transition.state, transition.note)
        self._run_effects.wake_caller(run)

    async def _retry_on_storage_fault(self, operation: Callable[[], Awaitable[T]]) -> T:
        """Repeat a write until it succeeds: the outcome of a step that was carried out must not be lost."""
        while True:
            try:
                return await operation()
            except StorageFault as fault:
                if self.stopping or isinstance(fault, PayloadTooLarge):
                    raise
                _log.error("Couldn't store an execution: %s", fault.text())
                await asyncio.sleep(STORAGE_RETRY_SECONDS)


def _outcome(
    active_run: ActiveRun,
    prepared: PreparedStep,
    status: StepState,
    result: StepResult | None,
    finished: EpochMs,
    size: int | None = None,
) -> StepOutcome:
    cursor = active_run.cursor
    return StepOutcome(
        seq=cursor.seq,
        attempt=active_run.attempt,
        step_id=cursor.current_step.step.id,
        status=status,
        # Without an input, the store keeps that of the intent.
        data_in=None if prepared.is_input_stored else prepared.data_in,
        data_out=result.data if result else None,
        error=result.error if result else None,
        warnings=(*prepared.warnings, *(result.warnings if result else ())),
        path=cursor.path,
        started_at=prepared.started,
        finished_at=finished,
        output_size=size,
    )


def _can_repeat(active_run: ActiveRun, result: StepResult, planned: PlannedStep) -> bool:
    """Whether the step has only computed its output, so that repeating it after a crash changes nothing.

    Not while crashes are counted, which are those at the step that is stored as the current one.
    """
    return (
        result.status is StepState.SUCCESS
        and (planned.kind.is_container or not planned.needs_intent)
        and result.webhook_response is None
        and not active_run.run.crashes
    )
