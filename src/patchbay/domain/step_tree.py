"""The arithmetic of steps as a tree: find, add, move, take out, put back. Pure; gives new steps.

Everywhere `steps` are those of one flow in their order: depth first, each step before those it holds, with
positions 1, 2, 3 …. What comes back is ordered and numbered in the same way.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from patchbay.domain.base import StepId
from patchbay.domain.errors import Conflict, NotFound, ValidationFailed
from patchbay.domain.flows import Step, StepExport, StepType, StructuralType

NESTING_LIMIT = 5
"""How many paths and loops may be within one another."""
STEP_LIMIT = 200
"""Steps of one flow, branches counted."""

Steps: TypeAlias = tuple[Step, ...]

_KINDS = {
    StructuralType.SINGLE: "a step",
    StructuralType.PATHS: "paths",
    StructuralType.BRANCH: "a branch",
    StructuralType.EACH: "a loop",
}


class InsertPosition(NamedTuple):
    """Where a step goes: held by `parent` (None: by the flow), with so many steps of the flow before it."""

    parent: StepId | None
    before: int


# Finding


def find_step(steps: Sequence[Step], step_id: StepId) -> Step:
    """Raises `NotFound`."""
    found = next((step for step in steps if step.id == step_id), None)
    if found is None:
        raise NotFound("This step is not in the flow.", meaning="It may have been deleted meanwhile.")
    return found


def children(steps: Sequence[Step], parent: StepId | None) -> Steps:
    """The steps that this one holds directly; None: those on the flow's own level."""
    return tuple(step for step in steps if step.parent_step_id == parent)


def subtree(steps: Sequence[Step], step_id: StepId) -> Steps:
    """The step and everything it holds, in order."""
    held = {step_id}
    found = []
    for step in steps:
        if step.id == step_id or step.parent_step_id in held:
            held.add(step.id)
            found.append(step)
    return tuple(found)


def ancestors(steps: Sequence[Step], step: Step) -> Steps:
    """The steps around this one, the nearest first."""
    known = {item.id: item for item in steps}
    found: list[Step] = []
    while (parent := known.get(step.parent_step_id or "")) is not None and parent not in found:
        found.append(parent)
        step = parent
    return tuple(found)


def nesting_depth(steps: Sequence[Step], step: Step) -> int:
    """How many paths and loops the step is in, itself counted."""
    around = (step, *ancestors(steps, step))
    return sum(item.structural_type in (StructuralType.PATHS, StructuralType.EACH) for item in around)


def in_tree_order(steps: Sequence[Step]) -> Steps:
    """These steps, in any order, as a flow has them, without those that no step of the flow leads to."""
    by_parent: dict[StepId | None, list[Step]] = {}
    for step in steps:
        by_parent.setdefault(step.parent_step_id, []).append(step)

    # Without recursion: a flow that somebody sends may be nested as deeply as it is long.
    found: list[Step] = []
    waiting = by_parent.pop(None, [])[::-1]
    while waiting:
        step = waiting.pop()
        found.append(step)
        waiting += by_parent.pop(step.id, [])[::-1]
    return _numbered(found)


def always_matches(branch: Step | StepExport) -> bool:
    """Whether a branch holds whatever happens: "Otherwise"."""
    return any(group.get("and") == [] for group in branch.branch_conditions or ())


# Places


def position_after(steps: Sequence[Step], after: StepId) -> InsertPosition:
    """Behind a step and all it holds, on its level."""
    step = find_step(steps, after)
    return InsertPosition(step.parent_step_id, _subtree_end(steps, step))


def position_inside(steps: Sequence[Step], inside: StepId) -> InsertPosition:
    """The first place in a branch or loop; in paths the last, though before a branch that always matches."""
    container = find_step(steps, inside)
    at = steps.index(container) + 1
    if container.structural_type is not StructuralType.PATHS:
        return InsertPosition(inside, at)
    held = children(steps, inside)
    if held and always_matches(held[-1]):
        return InsertPosition(inside, steps.index(held[-1]))
    return InsertPosition(inside, _subtree_end(steps, container))


def position_at_end(steps: Sequence[Step]) -> InsertPosition:
    return InsertPosition(None, len(steps))


def position_at(steps: Sequence[Step], position: int, inside: StepId | None) -> InsertPosition:
    """The place with this position (from 1) that `inside` holds. Raises `ValidationFailed`."""
    if not 2 <= position <= len(steps) + 1:
        raise ValidationFailed({"position": [f"Choose a position from 2 to {len(steps) + 1}."]})
    if inside is not None:
        find_step(steps, inside)
    place = InsertPosition(inside, position - 1)
    if place.before not in _insert_indexes(steps, inside):
        if inside is None:
            raise ValidationFailed({"inside": [f"Position {position} is inside another step: say in which."]})
        raise ValidationFailed({"position": [f"Position {position} is not in the step that is to hold it."]})
    return place


def nearest_position(steps: Sequence[Step], position: int, inside: StepId | None) -> InsertPosition:
    """The place nearest to this position that `inside` holds."""
    if inside is not None and all(step.id != inside for step in steps):
        raise Conflict(
            "The step that held this one was deleted.",
            meaning="There is no place it could come back to.",
            todo="Bring back the step around it first.",
        )
    return InsertPosition(
        inside, min(_insert_indexes(steps, inside), key=lambda index: abs(index - (position - 1)))
    )


def _insert_indexes(steps: Sequence[Step], inside: StepId | None) -> list[int]:
    """How many steps come before each place that `inside` offers; before the trigger is none."""
    first = 0 if inside is None else steps.index(find_step(steps, inside)) + 1
    ends = [_subtree_end(steps, step) for step in children(steps, inside)]
    return ends if inside is None and ends else [first, *ends]


def _subtree_end(steps: Sequence[Step], step: Step) -> int:
    return steps.index(step) + len(subtree(steps, step.id))


# Changing


def insert_steps(steps: Sequence[Step], new: Sequence[Step], place: InsertPosition) -> Steps:
    """The steps with `new` (a step, then all it holds) at this place.

    Raises `ValidationFailed` where such a step cannot be, and when the flow would become too large.
    """
    root = new[0].model_copy(update={"parent_step_id": place.parent})
    container = find_step(steps, place.parent) if place.parent is not None else None
    if reason := _placement_error(root, container):
        raise ValidationFailed({"inside": [reason]})
    if root.type is StepType.TRIGGER and place.before > 0:
        raise ValidationFailed({"position": ["The trigger stands at the start of the flow."]})
    after = _numbered([*steps[: place.before], root, *new[1:], *steps[place.before :]])
    if reason := _limit_error(after):
        raise ValidationFailed({"steps": [reason]})
    return after


def remove_step(steps: Sequence[Step], step_id: StepId) -> tuple[Steps, Steps]:
    """The steps without this one and all it holds; and those, with the positions they had."""
    find_step(steps, step_id)
    out = subtree(steps, step_id)
    removed_ids = {step.id for step in out}
    return _numbered(step for step in steps if step.id not in removed_ids), out


def move_step_to(steps: Sequence[Step], step_id: StepId, position: int, inside: StepId | None) -> Steps:
    """The step with all it holds at another position, counted without the moved ones.

    Raises `ValidationFailed` where it cannot be, which includes: within itself.
    """
    rest, out = remove_step(steps, step_id)
    if any(step.id == inside for step in out):
        raise ValidationFailed({"inside": ["A step cannot be put into itself."]})
    return insert_steps(rest, out, position_at(rest, position, inside))


def _numbered(steps: Iterable[Step]) -> Steps:
    return tuple(
        step if step.position == position else step.model_copy(update={"position": position})
        for position, step in enumerate(steps, start=1)
    )


# Rules


def find_problem(steps: Sequence[Step]) -> str | None:
    """Why these steps are no tree a flow can have, in words; None when they are one."""
    known = {step.id: step for step in steps}
    for step in steps:
        container = known.get(step.parent_step_id or "")
        if step.parent_step_id and container is None:
            return f"Step {step.position} is inside a step that is not there."
        if reason := _placement_error(step, container):
            return f"Step {step.position}: {reason}"
    if len(in_tree_order(steps)) != len(steps):
        return "Some steps are inside one another in a circle."
    return _limit_error(steps)


def _placement_error(step: Step, container: Step | None) -> str | None:
    """Why this step cannot be held by that one (None: by the flow)."""
    kind = step.structural_type
    if step.type is StepType.TRIGGER:
        is_allowed = kind is StructuralType.SINGLE and container is None
        return None if is_allowed else "The trigger stands alone at the start of the flow."
    if kind is StructuralType.BRANCH:
        is_allowed = container is not None and container.structural_type is StructuralType.PATHS
        return None if is_allowed else "A branch can only be in paths."
    if container is None:
        return None
    if container.structural_type is StructuralType.PATHS:
        return f"Paths hold branches only: put {_KINDS[kind]} into one of their branches."
    if not container.structural_type.is_container:
        return "This step cannot hold others."
    return None


def _limit_error(steps: Sequence[Step]) -> str | None:
    if len(steps) > STEP_LIMIT:
        return f"A flow may have {STEP_LIMIT} steps at most."
    if any(nesting_depth(steps, step) > NESTING_LIMIT for step in steps):
        return f"Paths and loops may be {NESTING_LIMIT} deep at most."
    return None
