"""Evaluates steps without an app: which branches run, and the items of a loop."""

from collections.abc import Callable
from functools import partial

from patchbay.domain.base import EpochMs, Json
from patchbay.domain.engine import EngineSettings
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.executions import StepState
from patchbay.domain.flows import StructuralType
from patchbay.domain.variables import Outputs
from patchbay.engine.app_calls import StepResult, failed
from patchbay.engine.plan import Plan, PlannedStep
from patchbay.engine.runs.branches_and_loops import (
    branch_groups,
    choose_branches,
    loop_items,
    loop_start_output,
)
from patchbay.engine.threads import run_in_thread_if_large
from patchbay.integration.conditions import evaluate
from patchbay.integration.workers import Workers


class ContainerSteps:
    """Evaluates container steps with the outputs of earlier steps."""

    def __init__(
        self,
        workers: Workers,
        clock: Callable[[], EpochMs],
        time_zone: str,
        settings: Callable[[], EngineSettings],
    ) -> None:
        self._workers = workers
        self._clock = clock
        self._time_zone = time_zone
        self._settings = settings

    async def evaluate(
        self, plan: Plan, planned: PlannedStep, outputs: Outputs, size: int
    ) -> StepResult | None:
        """The result of a container step (branches or loop); None for steps of apps.

        `size` is that of `outputs`.
        """
        try:
            if planned.kind is StructuralType.PATHS:
                return StepResult(
                    StepState.SUCCESS, await self._choose_branches(plan, planned, outputs, size)
                )
            if planned.kind is StructuralType.EACH:
                items = await run_in_thread_if_large(
                    size, loop_items, planned.step.parameters, outputs, self._settings().max_loop_items
                )
                return StepResult(StepState.SUCCESS, loop_start_output(items))
        except AppError as error:
            return failed(error, planned)
        return None

    async def _choose_branches(self, plan: Plan, paths: PlannedStep, outputs: Outputs, size: int) -> Json:
        branches = [branch.step for branch in plan.branches(paths)]
        groups = await run_in_thread_if_large(size, branch_groups, branches, outputs)
        try:
            results = await evaluate(
                [group for branch in groups for group in branch],
                self._clock(),
                self._time_zone,
                partial(self._workers.run, owner=plan.flow_id),
            )
        except ValidationFailed as error:
            raise ValidationFailed(
                {"branchConditions": [error.happened]}, happened=error.happened, todo=error.todo
            ) from None
        left = iter(results)
        matches = [any([all(next(left)) for _ in branch]) for branch in groups]
        return choose_branches(paths.step, branches, matches)


def decision_inputs(plan: Plan, current_step: PlannedStep) -> Json:
    """The parameters of a container step, and the conditions of its branches."""
    branches = plan.branches(current_step) if current_step.kind is StructuralType.PATHS else ()
    groups = [group for branch in branches for group in branch.step.branch_conditions or ()]
    return [current_step.step.parameters, *groups]
