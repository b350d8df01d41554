"""One execution from its cursor to its end: claim, then intent, call and outcome for each step."""

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar, TypeVarTuple

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, Json, JsonObject
from patchbay.domain.engine import EngineSettings
from patchbay.domain.engine_store import CalledFlowResult, EngineStore, Run, RunTransition, StepOutcome
from patchbay.domain.errors import AppError, Forbidden, PayloadTooLarge, RunTreeFull, StorageFault
from patchbay.domain.executions import ExecutionState, StepState, WaitsFor
from patchbay.domain.flows import StructuralType
from patchbay.domain.json_limits import THREAD_THRESHOLD, size_of
from patchbay.domain.variables import Outputs
from patchbay.engine.app_calls import AppCaller, Call, StepResult, failed
from patchbay.engine.changes import ChangeAnnouncer
from patchbay.engine.intake import new_engine_id
from patchbay.engine.parameters import missing_value_warnings, resolve_with_warnings
from patchbay.engine.permissions import Permissions
from patchbay.engine.plan import Plan, PlannedStep, Plans
from patchbay.engine.runs.active_run import ActiveRun
from patchbay.engine.runs.branches_and_loops import choose_branches, loop_items, loop_start_output
from patchbay.engine.runs.rate_limits import RateLimiter, app_hold_key, host_key
from patchbay.engine.runs.run_effects import NO_EFFECTS, RunEffects
from patchbay.engine.step_errors import (
    cancelled_step_details,
    engine_fault_details,
    interrupted,
    step_timeout_error,
    stopped_twice_details,
)
from patchbay.engine.triggers.webhook_responses import PendingResponses
from patchbay.integration.app_definition import OnInterrupted

# MERGED: One step of a run: its parameters, its turn under the limits, the call with its time-out.

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

DEFAULT_TIMEOUT_SECONDS = 300.0
"""Seconds a step may take where its policy says nothing else."""
MAX_INLINE_WAIT_SECONDS = 2.0
"""Seconds for which a run waits for its turn where it is; for longer it is parked."""


@dataclass(slots=True)
class PreparedStep:
    """A step about to be made: when it began, what goes in, and what was missing."""

    started: EpochMs
    data_in: JsonObject | None = None
    warnings: tuple[str, ...] = ()


class LimitWait(NamedTuple):
    """How long a step has to wait before it is called."""

    seconds: float
    held_by: str | None
    """The host or service that asked to wait; None for a rate limit that is set here."""


class StepRunner:
    """Makes the steps of runs, and cuts them off."""

    def __init__(
        self,
        caller: AppCaller,
        limits: RateLimiter,
        clock: Callable[[], EpochMs],
        settings: Callable[[], EngineSettings],
        owner_of: Callable[[FlowId], str],
    ) -> None:
        self._caller = caller
        self._limits = limits
        self._clock = clock
        self._settings = settings
        self._owner_of = owner_of
        self._timeouts: dict[ExecutionId, asyncio.Timeout] = {}
        self._cancelled: set[ExecutionId] = set()

    def cancel(self, execution_id: ExecutionId) -> None:
        """Cut off the step the run is at; a run between two steps stops before the next one."""
        self._cancelled.add(execution_id)
        self._limits.forget(execution_id)
        scope = self._timeouts.get(execution_id)
        if scope is not None and not scope.expired():
            scope.reschedule(asyncio.get_running_loop().time())

    def forget(self, execution_id: ExecutionId) -> None:
        """The run was left."""
        self._cancelled.discard(execution_id)

    async def wait_for_limits(self, active_run: ActiveRun, prepared: PreparedStep) -> LimitWait | None:
        """Wait for the turn of the step here under its limits.

        A `LimitWait` when that takes too long to stay.
        """
        current_step = active_run.current_step
        if current_step.app is None:
            return None
        connection_id, key = current_step.step.connection_id, self._hold_key(active_run, prepared)
        left = MAX_INLINE_WAIT_SECONDS
        while wait_seconds := self._limits.acquire(
            connection_id, current_step.app.key, active_run.run.id, key
        ):
            left -= wait_seconds
            if left < 0:
                return LimitWait(wait_seconds, self._limits.held_by(key))
            await asyncio.sleep(wait_seconds)
        prepared.started = self._clock()
        return None

    async def begin(self, active_run: ActiveRun) -> PreparedStep:
        """The parameters of the step here, with references replaced."""
        current_step = active_run.current_step
        prepared = PreparedStep(self._clock())
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
        """What the step here comes to if it holds others; None for steps of apps."""
        cursor, max_items = active_run.cursor, self._settings().max_loop_items
        return await run_in_thread_if_large(
            cursor.output_size,
            evaluate_container_step,
            active_run.plan,
            active_run.current_step,
            cursor.outputs,
            max_items,
        )

    @property
    def max_steps(self) -> int:
        """Steps one execution may make."""
        return self._settings().max_steps

    async def call(self, active_run: ActiveRun, prepared: PreparedStep) -> StepResult:
        """Make the step here. Never raises but for cancellation of the whole run."""
        current_step, run = active_run.current_step, active_run.run
        if run.id in self._cancelled:
            return _cancelled(current_step)
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
        seconds = step_timeout(current_step)
        try:
            async with asyncio.timeout(seconds) as scope:
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
            key = self._hold_key(active_run, prepared, result.redirected_to)
            self._limits.hold(key, result.retry_after, result.refused_by or current_step.app_name, run.id)
        return result

    def _hold_key(self, active_run: ActiveRun, prepared: PreparedStep, redirected_to: str = "") -> str:
        """What is held back when a service asks this step to wait: its connection, else the host it calls.

        A host to which the one that was called redirected is held back itself. Without a connection other
        people's flows go on; without a known host, all such steps of the app wait.
        """
        current_step, owner = active_run.current_step, self._owner_of(active_run.plan.flow_id)
        if redirected_to:
            return host_key(redirected_to, owner)
        if current_step.step.connection_id is not None:
            return current_step.step.connection_id
        target = (
            current_step.action.target(prepared.data_in or {}) if current_step.action is not None else None
        )
        if target is not None and target.host:
            return host_key(target.host, owner)
        return app_hold_key(current_step.app.key if current_step.app is not None else "", owner)


async def run_in_thread_if_large(size: int, work: Callable[[*Ts], T], *given: *Ts) -> T:
    """The result of `work(*given)`, made in a thread when what it goes through has a large `size`."""
    if size <= THREAD_THRESHOLD:
        return work(*given)
    return await asyncio.to_thread(work, *given)


def decision_inputs(plan: Plan, current_step: PlannedStep) -> Json:
    """What a step that holds others decides by: its own parameters, and the conditions of its branches."""
    branches = plan.branches(current_step) if current_step.kind is StructuralType.PATHS else ()
    groups = [group for branch in branches for group in branch.step.branch_conditions or ()]
    return [current_step.step.parameters, *groups]


def step_timeout(planned: PlannedStep) -> float:
    """Seconds the step may take."""
    return planned.step.policy.timeout_seconds or DEFAULT_TIMEOUT_SECONDS


def evaluate_container_step(
    plan: Plan, current_step: PlannedStep, outputs: Outputs, max_items: int
) -> StepResult | None:
    """What a step that holds others comes to; None for steps of apps."""
    try:
        if current_step.kind is StructuralType.PATHS:
            branches = [branch.step for branch in plan.branches(current_step)]
            return StepResult(StepState.SUCCESS, choose_branches(current_step.step, branches, outputs))
        if current_step.kind is StructuralType.EACH:
            return StepResult(
                StepState.SUCCESS,
                loop_start_output(loop_items(current_step.step.parameters, outputs, max_items)),
            )
    except AppError as error:
        return failed(error, current_step)
    return None


def _idempotency_key(active_run: ActiveRun) -> str:
    """Names this step of this run, in this item of the loops around it: a retry may go another way there."""
    path, place = active_run.cursor.path, f"{active_run.run.run_key}:{active_run.current_step.index}"
    return place if path is None else f"{place}.{path}"


def _cancelled(current_step: PlannedStep) -> StepResult:
    error = cancelled_step_details(current_step.label, current_step.app_name)
    return StepResult(StepState.CANCELLED, error=error, note="Cancelled.")


_log = logging.getLogger(__name__)

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
        if action is None or action.interruption_policy(parameters) is not OnInterrupted.ASK:
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
