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
from patchbay.domain.sizes import LARGE
from patchbay.domain.variables import Outputs
from patchbay.engine.calling.calls import Caller, StepResult, failed
from patchbay.engine.calling.contexts import Call
from patchbay.engine.calling.failures import cut_off, took_too_long
from patchbay.engine.calling.parameters import resolved, told_missing
from patchbay.engine.plan import Plan, PlannedStep
from patchbay.engine.runs.journey import Journey
from patchbay.engine.runs.limits import Limits, app_hold_key, host_key
from patchbay.engine.runs.structure import before_loop, choose_branches, items_of

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

TIMEOUT = 300.0
"""Seconds a step may take where its policy says nothing else."""
SHORT_WAIT = 2.0
"""Seconds for which a run waits for its turn where it is; for longer it is parked."""


@dataclass(slots=True)
class Turn:
    """A step about to be made: when it began, what goes in, and what was missing."""

    started: EpochMs
    data_in: JsonObject | None = None
    warnings: tuple[str, ...] = ()


class Wait(NamedTuple):
    """How long a step has to wait before it is called."""

    seconds: float
    held_by: str | None
    """The host or service that asked to wait; None for a rate limit that is set here."""


class Steps:
    """Makes the steps of runs, and cuts them off."""

    def __init__(
        self,
        caller: Caller,
        limits: Limits,
        clock: Callable[[], EpochMs],
        settings: Callable[[], EngineSettings],
        owner_of: Callable[[FlowId], str],
    ) -> None:
        self._caller = caller
        self._limits = limits
        self._clock = clock
        self._settings = settings
        self._owner_of = owner_of
        self._scopes: dict[ExecutionId, asyncio.Timeout] = {}
        self._cancelled: set[ExecutionId] = set()

    def cancel(self, execution_id: ExecutionId) -> None:
        """Cut off the step the run is at; a run between two steps stops before the next one."""
        self._cancelled.add(execution_id)
        self._limits.forget(execution_id)
        scope = self._scopes.get(execution_id)
        if scope is not None and not scope.expired():
            scope.reschedule(asyncio.get_running_loop().time())

    def forget(self, execution_id: ExecutionId) -> None:
        """The run was left."""
        self._cancelled.discard(execution_id)

    async def hold_back(self, journey: Journey, turn: Turn) -> Wait | None:
        """Wait for the turn of the step here under its limits; a `Wait` when that takes too long to stay."""
        here = journey.here
        if here.app is None:
            return None
        connection_id, key = here.step.connection_id, self._hold_key(journey, turn)
        left = SHORT_WAIT
        while pause := self._limits.take(connection_id, here.app.key, journey.run.id, key):
            left -= pause
            if left < 0:
                return Wait(pause, self._limits.held_by(key))
            await asyncio.sleep(pause)
        turn.started = self._clock()
        return None

    async def begin(self, journey: Journey) -> Turn:
        """The parameters of the step here, with references replaced."""
        here = journey.here
        turn = Turn(self._clock())
        arguments = here.action.arguments if here.action else ()
        if here.kind.holds_steps:
            turn.warnings = told_missing(looked_at(journey.plan, here), journey.walk.outputs)
        else:
            turn.data_in, turn.warnings = await beside_loop(
                journey.walk.held, resolved, arguments, here.step.parameters, journey.walk.outputs
            )
        return turn

    async def structural(self, journey: Journey) -> StepResult | None:
        """What the step here comes to if it holds others; None for steps of apps."""
        walk, most = journey.walk, self._settings().max_loop_items
        return await beside_loop(walk.held, structural, journey.plan, journey.here, walk.outputs, most)

    @property
    def max_steps(self) -> int:
        """Steps one execution may make."""
        return self._settings().max_steps

    async def call(self, journey: Journey, turn: Turn) -> StepResult:
        """Make the step here. Never raises but for cancellation of the whole run."""
        here, run = journey.here, journey.run
        if run.id in self._cancelled:
            return _cancelled(here)
        call = Call(
            planned=here,
            flow_id=journey.plan.flow_id,
            parameters=(turn.data_in or {}).copy(),
            permit=journey.permit,
            execution_id=run.id,
            root_id=run.root_id,
            idempotency_key=_key(journey),
            test_run=run.test_run,
        )
        seconds = time_of(here)
        try:
            async with asyncio.timeout(seconds) as scope:
                self._scopes[run.id] = scope
                result = await self._caller.action(call)
        except TimeoutError:
            if run.id in self._cancelled:
                return _cancelled(here)
            return failed(took_too_long(here.label, here.app_name, seconds), here)
        finally:
            self._scopes.pop(run.id, None)
        if result.status is StepState.FAILURE and run.id in self._cancelled:
            return _cancelled(here)
        if result.retry_after is not None:
            result.retry_after = min(result.retry_after, self._settings().max_retry_after)
            key = self._hold_key(journey, turn, result.redirected_to)
            self._limits.hold(key, result.retry_after, result.refused_by or here.app_name, run.id)
        return result

    def _hold_key(self, journey: Journey, turn: Turn, redirected_to: str = "") -> str:
        """What is held back when a service asks this step to wait: its connection, else the host it calls.

        A host to which the one that was called redirected is held back itself. Without a connection other
        people's flows go on; without a known host, all such steps of the app wait.
        """
        here, owner = journey.here, self._owner_of(journey.plan.flow_id)
        if redirected_to:
            return host_key(redirected_to, owner)
        if here.step.connection_id is not None:
            return here.step.connection_id
        target = here.action.target(turn.data_in or {}) if here.action is not None else None
        if target is not None and target.host:
            return host_key(target.host, owner)
        return app_hold_key(here.app.key if here.app is not None else "", owner)


async def beside_loop(size: int, work: Callable[[*Ts], T], *given: *Ts) -> T:
    """The result of `work(*given)`, made in a thread when what it goes through has a large `size`."""
    if size <= LARGE:
        return work(*given)
    return await asyncio.to_thread(work, *given)


def looked_at(plan: Plan, here: PlannedStep) -> Json:
    """What a step that holds others decides by: its own parameters, and the conditions of its branches."""
    branches = plan.branches(here) if here.kind is StructuralType.PATHS else ()
    groups = [group for branch in branches for group in branch.step.branch_conditions or ()]
    return [here.step.parameters, *groups]


def time_of(planned: PlannedStep) -> float:
    """Seconds the step may take."""
    return planned.step.policy.timeout_seconds or TIMEOUT


def structural(plan: Plan, here: PlannedStep, outputs: Outputs, max_items: int) -> StepResult | None:
    """What a step that holds others comes to; None for steps of apps."""
    try:
        if here.kind is StructuralType.PATHS:
            branches = [branch.step for branch in plan.branches(here)]
            return StepResult(StepState.SUCCESS, choose_branches(here.step, branches, outputs))
        if here.kind is StructuralType.EACH:
            return StepResult(
                StepState.SUCCESS, before_loop(items_of(here.step.parameters, outputs, max_items))
            )
    except AppError as error:
        return failed(error, here)
    return None


def _key(journey: Journey) -> str:
    """Names this step of this run, in this item of the loops around it: a retry may go another way there."""
    path, place = journey.walk.path, f"{journey.run.run_key}:{journey.here.index}"
    return place if path is None else f"{place}.{path}"


def _cancelled(here: PlannedStep) -> StepResult:
    error = cut_off(here.label, here.app_name)
    return StepResult(StepState.CANCELLED, error=error, note="Cancelled.")
