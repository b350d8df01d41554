"""One step of a run: its parameters, its turn under the limits, the call with its time-out."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar, TypeVarTuple

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, Json, JsonObject
from patchbay.domain.engine import EngineSettings
from patchbay.domain.errors import AppError
from patchbay.domain.executions import StepState
from patchbay.domain.flows import StructuralType
from patchbay.domain.sizes import THREAD_THRESHOLD
from patchbay.domain.variables import Outputs
from patchbay.engine.calling.calls import AppCaller, StepResult, failed
from patchbay.engine.calling.contexts import Call
from patchbay.engine.calling.failures import cancelled_step_details, step_timeout_error
from patchbay.engine.calling.parameters import missing_value_warnings, resolve_with_warnings
from patchbay.engine.plan import Plan, PlannedStep
from patchbay.engine.runs.journey import ActiveRun
from patchbay.engine.runs.limits import RateLimiter, app_hold_key, host_key
from patchbay.engine.runs.structure import choose_branches, loop_items, loop_start_output

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
        """Wait for the turn of the step here under its limits; a `LimitWait` when that takes too long to stay."""
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
