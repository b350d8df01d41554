"""What a new step is made of, by its kind."""

from collections.abc import Callable

from patchbay.domain.base import JsonObject, StepId
from patchbay.domain.flows import Step, StepStatus, StepType, StructuralType
from patchbay.domain.step_tree import Steps

DEFAULT_BRANCH_CONDITIONS: tuple[JsonObject, ...] = ({"and": []},)


def create_steps(kind: StructuralType, new_id: Callable[[], StepId]) -> Steps:
    """The step, and what it holds from the beginning: paths come with a first branch and an "otherwise"."""
    step = Step(id=new_id(), type=StepType.ACTION, structural_type=kind)
    if kind is StructuralType.PATHS:
        step = step.model_copy(update={"parameters": {"mode": "first"}})
        return step, _branch(new_id(), step.id), _default_branch(new_id(), step.id)
    if kind is StructuralType.BRANCH:
        return (_branch(step.id, None),)
    return (step,)


def _branch(step_id: StepId, parent: StepId | None) -> Step:
    return Step(
        id=step_id, type=StepType.ACTION, structural_type=StructuralType.BRANCH, parent_step_id=parent,
        branch_conditions=(),
    )  # fmt: skip


def _default_branch(step_id: StepId, parent: StepId) -> Step:
    changes = {"branch_conditions": DEFAULT_BRANCH_CONDITIONS, "status": StepStatus.COMPLETED}
    return _branch(step_id, parent).model_copy(update=changes)
