"""Test runs: one step, or a whole draft. Nothing waits, and everything is stored in one piece."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from patchbay.domain.base import EpochMs, ExecutionId, Json, JsonObject, StepId
from patchbay.domain.errors import Conflict, NotFound, ValidationFailed
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.flows import FlowVersion
from patchbay.domain.ports import NewExecution, StepOutcome, TriggerItem
from patchbay.domain.variables import missing
from patchbay.engine.calls import Caller, StepResult, failed
from patchbay.engine.contexts import Call
from patchbay.engine.ids import new_execution_id
from patchbay.engine.intake import Intake, trigger_outcome
from patchbay.engine.parameters import resolve_parameters
from patchbay.engine.plan import Plan, PlannedStep, Plans
from patchbay.engine.samples import TriggerSampler

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
    steps: list[StepOutcome]
    outputs: dict[StepId, Json]
    state: ExecutionState = ExecutionState.SUCCESS
    note: str | None = None


class Trials:
    """Runs steps as tests and stores what they did."""

    def __init__(
        self,
        plans: Plans,
        caller: Caller,
        sampler: TriggerSampler,
        intake: Intake,
        clock: Callable[[], EpochMs],
    ) -> None:
        self._plans = plans
        self._caller = caller
        self._sampler = sampler
        self._intake = intake
        self._clock = clock

    async def step(
        self, version: FlowVersion, step_id: StepId, samples: Mapping[StepId, Json]
    ) -> tuple[ExecutionId, StepOutcome]:
        """Run one step on the newest data of the steps before it.

        A refusal by a third party is the step's failed outcome. Raises `NotFound` for an unknown step and
        `Conflict` for a webhook to which nothing was sent yet.
        """
        plan = self._plans.of(version)
        planned = next((item for item in plan.steps if item.step.id == step_id), None)
        if planned is None:
            raise NotFound("This step is not part of the flow (any more).", todo="Open the flow again.")
        trial = _Trial(new_execution_id(), plan, [], dict(samples))
        if planned.seq == 0:
            await self._try_trigger(trial)
        else:
            await self._try_action(trial, planned)
        await self._store(trial)
        return trial.id, trial.steps[0]

    async def draft(self, version: FlowVersion, item: TriggerItem) -> ExecutionId:
        """Run all steps of a draft on one item, without waiting."""
        started = self._clock()
        plan = self._plans.of(version)
        outcome = trigger_outcome(plan, item.raw, started, started)
        trial = _Trial(new_execution_id(), plan, [outcome], {plan.start.step.id: item.raw})
        for planned in plan.steps[1:]:
            result = await self._try_action(trial, planned)
            if result.status is not StepState.SUCCESS and not (
                result.status is StepState.FAILURE and planned.step.continue_on_error
            ):
                break
        await self._store(trial)
        return trial.id

    async def delivered(self, version: FlowVersion, item: TriggerItem) -> ExecutionId:
        """Keep what was sent to the webhook of a draft, as its sample."""
        now = self._clock()
        plan = self._plans.of(version)
        trial = _Trial(new_execution_id(), plan, [trigger_outcome(plan, item.raw, now, now)], {})
        await self._store(trial)
        return trial.id

    async def _try_trigger(self, trial: _Trial) -> None:
        plan, started = trial.plan, self._clock()
        if plan.start.problem is not None:
            result = failed(plan.start.problem, plan.start)
        else:
            result = await self._sample(trial)
        self._record(trial, plan.start, result, plan.start.step.parameters, started)

    async def _sample(self, trial: _Trial) -> StepResult:
        try:
            item = await self._sampler.one(trial.plan, trial.outputs)
        except Conflict:
            raise
        except Exception as error:  # noqa: BLE001  app code may raise anything
            return failed(error, trial.plan.start)
        return StepResult(StepState.SUCCESS, item.raw if item else None)

    async def _try_action(self, trial: _Trial, planned: PlannedStep) -> StepResult:
        started = self._clock()
        arguments = planned.action.arguments if planned.action else ()
        data_in = resolve_parameters(arguments, planned.step.parameters, trial.outputs)
        if problem := _missing_values(trial, planned):
            result = failed(problem, planned)
        else:
            call = Call(
                planned=planned, flow_id=trial.plan.flow_id, parameters=data_in.copy(),
                execution_id=trial.id, test_run=True,
            )  # fmt: skip
            result = await self._caller.checked_action(call)
        self._record(trial, planned, result, data_in, started)
        return result

    def _record(
        self, trial: _Trial, planned: PlannedStep, result: StepResult, data_in: JsonObject, started: EpochMs
    ) -> None:
        trial.steps.append(
            StepOutcome(
                seq=planned.seq, step_id=planned.step.id, status=result.status, data_in=data_in,
                data_out=result.data, error=result.error, started_at=started, finished_at=self._clock(),
            )
        )  # fmt: skip
        if result.status is StepState.SUCCESS:
            trial.outputs[planned.step.id] = result.data
        elif trial.state is ExecutionState.SUCCESS:
            trial.state, trial.note = _STATES[result.status], result.note

    async def _store(self, trial: _Trial) -> None:
        first, *more = trial.steps
        await self._intake.accept(
            [
                NewExecution(
                    id=trial.id, flow_id=trial.plan.flow_id, flow_version=None, state=trial.state,
                    test_run=True, note=trial.note, trigger=first, steps=tuple(more),
                    steps_total=len(trial.plan.steps), created_at=first.started_at,
                )
            ]
        )  # fmt: skip


def _missing_values(trial: _Trial, planned: PlannedStep) -> ValidationFailed | None:
    """At test time a reference that finds nothing is an error, so that it is noticed before it runs."""
    found = missing(planned.step.parameters, trial.outputs)
    if not found:
        return None
    positions = {item.step.id: item.seq + 1 for item in trial.plan.steps}
    places = [f"{'.'.join(ref.path)} of step {positions.get(ref.step_id, '?')}" for ref in found]
    return ValidationFailed(
        {"parameters": [f"No value for {place}." for place in places]},
        happened=f"This step uses values that are not there: {', '.join(places)}.",
        meaning="They would be left empty.",
        todo="Test the earlier steps first, or choose other values.",
    )
