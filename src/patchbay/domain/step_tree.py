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


class Place(NamedTuple):
    """Where a step goes: held by `parent` (None: by the flow), with so many steps of the flow before it."""

    parent: StepId | None
    before: int


# Finding


def step_in(steps: Sequence[Step], step_id: StepId) -> Step:
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


def holders(steps: Sequence[Step], step: Step) -> Steps:
    """The steps around this one, the nearest first."""
    known = {item.id: item for item in steps}
    found: list[Step] = []
    while (parent := known.get(step.parent_step_id or "")) is not None and parent not in found:
        found.append(parent)
        step = parent
    return tuple(found)


def nesting(steps: Sequence[Step], step: Step) -> int:
    """How many paths and loops the step is in, itself counted."""
    around = (step, *holders(steps, step))
    return sum(item.structural_type in (StructuralType.PATHS, StructuralType.EACH) for item in around)


def in_order(steps: Sequence[Step]) -> Steps:
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


def place_behind(steps: Sequence[Step], after: StepId) -> Place:
    """Behind a step and all it holds, on its level."""
    step = step_in(steps, after)
    return Place(step.parent_step_id, _end(steps, step))


def place_inside(steps: Sequence[Step], inside: StepId) -> Place:
    """The first place in a branch or loop; in paths the last, though before a branch that always matches."""
    holder = step_in(steps, inside)
    at = steps.index(holder) + 1
    if holder.structural_type is not StructuralType.PATHS:
        return Place(inside, at)
    held = children(steps, inside)
    if held and always_matches(held[-1]):
        return Place(inside, steps.index(held[-1]))
    return Place(inside, _end(steps, holder))


def place_at_end(steps: Sequence[Step]) -> Place:
    return Place(None, len(steps))


def place_at(steps: Sequence[Step], position: int, inside: StepId | None) -> Place:
    """The place with this position (from 1) that `inside` holds. Raises `ValidationFailed`."""
    if not 2 <= position <= len(steps) + 1:
        raise ValidationFailed({"position": [f"Choose a position from 2 to {len(steps) + 1}."]})
    if inside is not None:
        step_in(steps, inside)
    place = Place(inside, position - 1)
    if place.before not in _indexes(steps, inside):
        if inside is None:
            raise ValidationFailed({"inside": [f"Position {position} is inside another step: say in which."]})
        raise ValidationFailed({"position": [f"Position {position} is not in the step that is to hold it."]})
    return place


def place_near(steps: Sequence[Step], position: int, inside: StepId | None) -> Place:
    """The place nearest to this position that `inside` holds."""
    if inside is not None and all(step.id != inside for step in steps):
        raise Conflict(
            "The step that held this one was deleted.",
            meaning="There is no place it could come back to.",
            todo="Bring back the step around it first.",
        )
    return Place(inside, min(_indexes(steps, inside), key=lambda index: abs(index - (position - 1))))


def _indexes(steps: Sequence[Step], inside: StepId | None) -> list[int]:
    """How many steps come before each place that `inside` offers; before the trigger is none."""
    first = 0 if inside is None else steps.index(step_in(steps, inside)) + 1
    ends = [_end(steps, step) for step in children(steps, inside)]
    return ends if inside is None and ends else [first, *ends]


def _end(steps: Sequence[Step], step: Step) -> int:
    return steps.index(step) + len(subtree(steps, step.id))


# Changing


def put_in(steps: Sequence[Step], new: Sequence[Step], place: Place) -> Steps:
    """The steps with `new` (a step, then all it holds) at this place.

    Raises `ValidationFailed` where such a step cannot be, and when the flow would become too large.
    """
    root = new[0].model_copy(update={"parent_step_id": place.parent})
    holder = step_in(steps, place.parent) if place.parent is not None else None
    if reason := _misfit(root, holder):
        raise ValidationFailed({"inside": [reason]})
    if root.type is StepType.TRIGGER and place.before > 0:
        raise ValidationFailed({"position": ["The trigger stands at the start of the flow."]})
    after = _numbered([*steps[: place.before], root, *new[1:], *steps[place.before :]])
    if reason := _excess(after):
        raise ValidationFailed({"steps": [reason]})
    return after


def taken_out(steps: Sequence[Step], step_id: StepId) -> tuple[Steps, Steps]:
    """The steps without this one and all it holds; and those, with the positions they had."""
    step_in(steps, step_id)
    out = subtree(steps, step_id)
    gone = {step.id for step in out}
    return _numbered(step for step in steps if step.id not in gone), out


def moved(steps: Sequence[Step], step_id: StepId, position: int, inside: StepId | None) -> Steps:
    """The step with all it holds at another position, counted without the moved ones.

    Raises `ValidationFailed` where it cannot be, which includes: within itself.
    """
    rest, out = taken_out(steps, step_id)
    if any(step.id == inside for step in out):
        raise ValidationFailed({"inside": ["A step cannot be put into itself."]})
    return put_in(rest, out, place_at(rest, position, inside))


def _numbered(steps: Iterable[Step]) -> Steps:
    return tuple(
        step if step.position == position else step.model_copy(update={"position": position})
        for position, step in enumerate(steps, start=1)
    )


# Rules


def problem_of(steps: Sequence[Step]) -> str | None:
    """Why these steps are no tree a flow can have, in words; None when they are one."""
    known = {step.id: step for step in steps}
    for step in steps:
        holder = known.get(step.parent_step_id or "")
        if step.parent_step_id and holder is None:
            return f"Step {step.position} is inside a step that is not there."
        if reason := _misfit(step, holder):
            return f"Step {step.position}: {reason}"
    if len(in_order(steps)) != len(steps):
        return "Some steps are inside one another in a circle."
    return _excess(steps)


def _misfit(step: Step, holder: Step | None) -> str | None:
    """Why this step cannot be held by that one (None: by the flow)."""
    kind = step.structural_type
    if step.type is StepType.TRIGGER:
        fits = kind is StructuralType.SINGLE and holder is None
        return None if fits else "The trigger stands alone at the start of the flow."
    if kind is StructuralType.BRANCH:
        fits = holder is not None and holder.structural_type is StructuralType.PATHS
        return None if fits else "A branch can only be in paths."
    if holder is None:
        return None
    if holder.structural_type is StructuralType.PATHS:
        return f"Paths hold branches only: put {_KINDS[kind]} into one of their branches."
    if not holder.structural_type.holds_steps:
        return "This step cannot hold others."
    return None


def _excess(steps: Sequence[Step]) -> str | None:
    if len(steps) > STEP_LIMIT:
        return f"A flow may have {STEP_LIMIT} steps at most."
    if any(nesting(steps, step) > NESTING_LIMIT for step in steps):
        return f"Paths and loops may be {NESTING_LIMIT} deep at most."
    return None
