"""Test runs: one step, or a whole draft. Nothing waits, and everything is stored in one piece.

Each tells the draft which of its steps passed.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, Json, JsonObject, StepId
from patchbay.domain.engine import EngineSettings
from patchbay.domain.engine_store import EngineStore
from patchbay.domain.errors import AppError, Conflict, NotFound, ValidationFailed
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.flows import FlowVersion
from patchbay.domain.ports import TriggerItem
from patchbay.domain.run_trees import caused_by
from patchbay.domain.runs import NewExecution, Permit, StepOutcome
from patchbay.domain.sizes import LARGE, size_of
from patchbay.engine.by_hand.places import TestPlaces
from patchbay.engine.calling.calls import Caller, StepResult, failed
from patchbay.engine.calling.contexts import Call
from patchbay.engine.calling.failures import took_too_long
from patchbay.engine.calling.parameters import missing_values, resolved, told_missing
from patchbay.engine.ids import new_execution_id
from patchbay.engine.intake import Intake
from patchbay.engine.permissions import Permissions
from patchbay.engine.plan import Plan, PlannedStep, Plans
from patchbay.engine.runs.journey import passed_over, too_many_steps, too_much_data
from patchbay.engine.runs.steps import beside_loop, looked_at, structural, time_of
from patchbay.engine.runs.walk import Walk
from patchbay.engine.starts.samples import TriggerSampler
from patchbay.engine.trigger_steps import trigger_outcome

_MOST_NAMED = 20
_PASSED = (StepState.SUCCESS, StepState.FILTERED)
"""A filter that does not match did its work: its test passed."""
_STATES = {
    StepState.SUCCESS: ExecutionState.SUCCESS,
    StepState.FAILURE: ExecutionState.FAILURE,
    StepState.FILTERED: ExecutionState.FILTERED,
}


@dataclass(slots=True)
class _Trial:
    """A test run being made."""

    id: ExecutionId
    plan: Plan
    permit: Permit
    steps: list[StepOutcome]
    outputs: dict[StepId, Json]
    state: ExecutionState = ExecutionState.SUCCESS
    note: str | None = None
    trigger_tested: bool = True
    """False when the run began with data that the trigger did not put out."""

    def passed(self) -> dict[StepId, bool]:
        """The steps that were tested, and whether each passed whenever it ran."""
        found: dict[StepId, bool] = {}
        for outcome in self.steps if self.trigger_tested else self.steps[1:]:
            found[outcome.step_id] = found.get(outcome.step_id, True) and outcome.status in _PASSED
        return found


class Trials:
    """Runs steps as tests and stores what they did."""

    def __init__(
        self,
        plans: Plans,
        permissions: Permissions,
        caller: Caller,
        sampler: TriggerSampler,
        intake: Intake,
        store: EngineStore,
        clock: Callable[[], EpochMs],
        settings: Callable[[], EngineSettings],
        on_tested: Callable[[FlowId], None],
    ) -> None:
        self._plans = plans
        self._permissions = permissions
        self._caller = caller
        self._sampler = sampler
        self._intake = intake
        self._store = store
        self._clock = clock
        self._settings = settings
        self._on_tested = on_tested
        self._places = TestPlaces()

    async def step(
        self, version: FlowVersion, step_id: StepId, samples: Mapping[StepId, Json], *, full_rights: bool
    ) -> tuple[ExecutionId, StepOutcome]:
        """Run one step on the newest data of the steps before it.

        A refusal by a third party is the step's failed outcome. Raises `NotFound` for an unknown step,
        `Conflict` for a webhook to which nothing was sent yet, `Forbidden`, and `RateLimited`.
        """
        plan = self._plans.of(version)
        permit = await self._permissions.require(plan, full_rights=full_rights)
        planned = next((item for item in plan.steps if item.step.id == step_id), None)
        if planned is None:
            raise NotFound("This step is not part of the flow (any more).", todo="Open the flow again.")
        trial = _Trial(new_execution_id(), plan, permit, [], dict(samples))
        async with self._places.place():
            if planned.index == 0:
                await self._try_trigger(trial)
            else:
                await self._try_action(trial, planned)
            await self._finish(trial)
        return trial.id, trial.steps[0]

    async def draft(self, permit: Permit, item: TriggerItem, *, from_trigger: bool) -> ExecutionId:
        """Run all steps of a draft on one item, without a second try. Waits for a place, and nothing else.

        `from_trigger`: the trigger put the item out just now, which counts as a test of it.
        """
        async with self._places.place():
            return await self._walk(permit, item, from_trigger)

    async def _walk(self, permit: Permit, item: TriggerItem, from_trigger: bool) -> ExecutionId:
        started = self._clock()
        plan = self._plans.of(permit.version)
        outcome = trigger_outcome(plan, item.raw, started, started)
        walk = Walk(plan)
        walk.step(StepState.SUCCESS, item.raw)
        trial = _Trial(new_execution_id(), plan, permit, [outcome], walk.outputs, trigger_tested=from_trigger)
        result, max_steps = StepResult(StepState.SUCCESS), self._settings().max_steps
        while not walk.ended and walk.seq < max_steps and not walk.too_large:
            result = await self._try_action(trial, walk.here, walk)
            walk.step(result.status, result.data)
        trial.state, trial.note = _end_of(walk, result, max_steps)
        await self._finish(trial)
        return trial.id

    async def delivered(self, version: FlowVersion, item: TriggerItem) -> ExecutionId:
        """Keep what was sent to the webhook of a draft, as its sample."""
        now = self._clock()
        plan = self._plans.of(version)
        permit = self._permissions.decide(plan)
        trial = _Trial(new_execution_id(), plan, permit, [trigger_outcome(plan, item.raw, now, now)], {})
        await self._finish(trial)
        return trial.id

    async def _try_trigger(self, trial: _Trial) -> None:
        plan, started = trial.plan, self._clock()
        if plan.start.problem is not None:
            result = failed(plan.start.problem, plan.start)
        else:
            result = await self._sample(trial)
        self._record(trial, plan.start, result, plan.start.step.parameters, started, (0, None))

    async def _sample(self, trial: _Trial) -> StepResult:
        try:
            item = await self._sampler.one(trial.plan, trial.outputs)
        except Conflict:
            raise
        except Exception as error:  # noqa: BLE001  app code may raise anything
            return failed(error, trial.plan.start)
        return StepResult(StepState.SUCCESS, item.raw if item else None)

    async def _try_action(self, trial: _Trial, planned: PlannedStep, walk: Walk | None = None) -> StepResult:
        """Make the step, as part of the walk of a whole draft, or by itself."""
        started = self._clock()
        place = (planned.index, None) if walk is None else (walk.seq, walk.path)
        most = self._settings().max_loop_items
        size = size_of([*trial.outputs.values()], LARGE)
        held = await beside_loop(size, structural, trial.plan, planned, trial.outputs, most)
        if held is not None:
            warnings = told_missing(looked_at(trial.plan, planned), trial.outputs)
            self._record(trial, planned, held, None, started, place, warnings)
            return held
        arguments = planned.action.arguments if planned.action else ()
        try:
            data_in, warnings = await beside_loop(
                size, resolved, arguments, planned.step.parameters, trial.outputs
            )
        except AppError as error:
            result = failed(error, planned)
            self._record(trial, planned, result, None, started, place)
            return result
        if warnings and walk is None and (problem := _missing_values(trial, planned)):
            result = failed(problem, planned)
        else:
            result = await self._call(trial, planned, data_in)
        self._record(trial, planned, result, data_in, started, place, warnings)
        return result

    async def _call(self, trial: _Trial, planned: PlannedStep, data_in: JsonObject) -> StepResult:
        call = Call(
            planned=planned, flow_id=trial.plan.flow_id, parameters=data_in.copy(),
            permit=trial.permit, execution_id=trial.id, root_id=caused_by.get(), test_run=True,
        )  # fmt: skip
        seconds = time_of(planned)
        try:
            async with asyncio.timeout(seconds):
                return await self._caller.checked_action(call)
        except TimeoutError:
            return failed(took_too_long(planned.label, planned.app_name, seconds), planned)

    def _record(
        self, trial: _Trial, planned: PlannedStep, result: StepResult, data_in: JsonObject | None,
        started: EpochMs, place: tuple[int, str | None], warnings: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        trial.steps.append(
            StepOutcome(
                seq=place[0], path=place[1], step_id=planned.step.id, status=result.status, data_in=data_in,
                data_out=result.data, error=result.error, started_at=started, finished_at=self._clock(),
                warnings=(*warnings, *result.warnings),
            )
        )  # fmt: skip
        if result.status is not StepState.SUCCESS and trial.state is ExecutionState.SUCCESS:
            trial.state, trial.note = _STATES[result.status], result.note

    async def _finish(self, trial: _Trial) -> None:
        """Store what the test did, then mark the steps of the draft by it."""
        first, *more = trial.steps
        await self._intake.accept(
            [
                NewExecution(
                    permit=trial.permit,
                    id=trial.id, flow_id=trial.plan.flow_id, flow_version=None, state=trial.state,
                    test_run=True, note=trial.note, trigger=first, steps=tuple(more),
                    steps_total=trial.plan.length, created_at=first.started_at,
                )
            ]
        )  # fmt: skip
        if await self._store.record_test(trial.plan.version, trial.passed(), self._clock()):
            self._on_tested(trial.plan.flow_id)


def _end_of(walk: Walk, last: StepResult, max_steps: int) -> tuple[ExecutionState, str | None]:
    if not walk.ended:
        return ExecutionState.FAILURE, too_much_data() if walk.too_large else too_many_steps(max_steps)
    state, note = (_STATES[last.status], last.note) if walk.stopped else (ExecutionState.SUCCESS, None)
    if walk.failed is not None and state is not ExecutionState.FAILURE:
        return ExecutionState.FAILURE, passed_over(walk)
    return state, note


def _missing_values(trial: _Trial, planned: PlannedStep) -> ValidationFailed | None:
    """At test time a reference that finds nothing is an error, so that it is noticed before it runs."""
    arguments = planned.action.arguments if planned.action else ()
    found = missing_values(arguments, planned.step.parameters, trial.outputs)
    if not found:
        return None
    positions = {item.step.id: item.index + 1 for item in trial.plan.steps}
    places = [
        f"{'.'.join(ref.path)[:100]} of step {positions.get(ref.step_id, '?')}" for ref in found[:_MOST_NAMED]
    ]
    return ValidationFailed(
        {"parameters": [f"No value for {place}." for place in places]},
        happened=f"This step uses values that are not there: {', '.join(places)}.",
        meaning="They would be left empty.",
        todo="Test the earlier steps first, or choose other values.",
    )
