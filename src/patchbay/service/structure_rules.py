"""What steps that hold others may contain, and what they still lack. Pure."""

from collections.abc import Iterator

from patchbay.domain.base import JsonObject
from patchbay.domain.conditions import OPERATORS, all_groups
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.fields import is_empty
from patchbay.domain.flows import Flow, Step, StepChange, StepPolicy, StructuralType
from patchbay.domain.step_tree import always_matches, children
from patchbay.domain.variables import as_text, references
from patchbay.engine.runs.structure import loop_items

MODES = ("first", "all")
MODE_MISSING = "Choose whether the first path that holds is taken, or all of them."

StructureProblem = tuple[str, str]
"""The field and what is wrong with it."""

_SINGLE_STEP_FIELDS = ("app_key", "key", "connection_id")


def check_structure(step: Step, change: StepChange) -> None:
    """Raises `ValidationFailed` for a change that a step of this kind cannot have."""
    for name in _SINGLE_STEP_FIELDS:
        if step.structural_type.is_container and getattr(change, name) is not None:
            raise ValidationFailed({_wire_name(name): ["This step holds other steps and has no app."]})
    if step.structural_type.is_container and change.policy not in (None, StepPolicy()):
        raise ValidationFailed({"policy": ["How often something is tried is set at the steps in here."]})
    if change.branch_conditions is not None:
        _check_conditions(step, change.branch_conditions)
    if step.structural_type is StructuralType.PATHS and change.parameters is not None:
        _check_mode(change.parameters)


def _check_conditions(step: Step, conditions: tuple[JsonObject, ...]) -> None:
    if step.structural_type is not StructuralType.BRANCH:
        raise ValidationFailed({"branchConditions": ["Only a path has conditions."]})
    groups = [group.get("and") for group in conditions]
    if not all(isinstance(group, list) and all(isinstance(item, dict) for item in group) for group in groups):
        raise ValidationFailed({"branchConditions": ["Conditions are a list of groups, each under “and”."]})


def _check_mode(parameters: JsonObject) -> None:
    if parameters.get("mode", MODES[0]) not in MODES:
        raise ValidationFailed({"mode": [MODE_MISSING]})


def find_structure_problems(flow: Flow, step: Step) -> Iterator[StructureProblem]:
    """What keeps a step that holds others from being run."""
    held = children(flow.steps, step.id)
    if step.structural_type is StructuralType.PATHS:
        if not held:
            yield "branches", "It has no path. Add one."
        if step.parameters.get("mode", MODES[0]) not in MODES:
            yield "mode", MODE_MISSING
    elif step.structural_type is StructuralType.BRANCH:
        if problem := branch_problem(step):
            yield "branchConditions", problem
    elif step.structural_type is StructuralType.EACH:
        if problem := _list_problem(step):
            yield "list", problem
        if not held:
            yield "steps", "There is no step in this loop. Add what is to be done for each item."


def branch_problem(branch: Step) -> str | None:
    """What a branch's conditions lack; None when they can be decided."""
    if always_matches(branch):
        return None
    groups = all_groups(branch.branch_conditions or ())
    if not groups:
        return "Say when this path is taken: it has no condition."
    conditions = [condition for group in groups for condition in group]
    if any(is_empty(condition.get("key")) for condition in conditions):
        return "A condition has nothing to compare. Choose a value for it."
    if any(as_text(condition.get("operator")) not in OPERATORS for condition in conditions):
        return "A condition does not say how to compare. Choose a comparison."
    return None


def _list_problem(step: Step) -> str | None:
    given = step.parameters.get("list")
    if is_empty(given):
        return "Choose the list to go through."
    if any(references(given)):
        return None
    try:
        loop_items(step.parameters, {})
    except ValidationFailed as refused:
        return refused.text()
    return None


def _wire_name(name: str) -> str:
    return StepChange.model_fields[name].alias or name
