"""The tree of a flow's steps: find, insert, move, remove, and restore steps. Pure functions.

All functions take and return the steps of one flow in depth-first order, each step before those it contains,
with positions 1, 2, 3 ….
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from patchbay.domain.base import StepId, get_optional
from patchbay.domain.errors import Conflict, NotFound, ValidationFailed
from patchbay.domain.flows import Step, StepExport, StepType, StructuralType

NESTING_LIMIT = 5
"""How deep branches and loops can be nested."""
STEP_LIMIT = 200
"""Steps per flow, including branches."""

Steps: TypeAlias = tuple[Step, ...]

_KINDS = {
    StructuralType.SINGLE: "a step",
    StructuralType.PATHS: "a branches step",
    StructuralType.BRANCH: "a branch",
    StructuralType.EACH: "a loop",
}


class InsertPosition(NamedTuple):
    """A position in `parent` (None: in the flow). `before`: number of steps of the flow before it."""

    parent: StepId | None
    before: int


# Finding


def find_step(steps: Sequence[Step], step_id: StepId) -> Step:
    """The step with this ID. Raises `NotFound`."""
    found = next((step for step in steps if step.id == step_id), None)
    if found is None:
        raise NotFound(
            "This step isn't in the flow.", meaning="It may have been deleted.", todo="Reload the flow."
        )
    return found


def children(steps: Sequence[Step], parent: StepId | None) -> Steps:
    """The steps directly inside `parent`; None: the top-level steps."""
    return tuple(step for step in steps if step.parent_step_id == parent)


def subtree(steps: Sequence[Step], step_id: StepId) -> Steps:
    """The step and all steps inside it, in order."""
    held = {step_id}
    found = []
    for step in steps:
        if step.id == step_id or step.parent_step_id in held:
            held.add(step.id)
            found.append(step)
    return tuple(found)


def ancestors(steps: Sequence[Step], step: Step) -> Steps:
    """The steps that contain this one, the innermost first."""
    known = {item.id: item for item in steps}
    found: list[Step] = []
    while (parent := get_optional(known, step.parent_step_id)) is not None and parent not in found:
        found.append(parent)
        step = parent
    return tuple(found)


def nesting_depth(steps: Sequence[Step], step: Step) -> int:
    """The number of branches steps and loops that the step is in, including itself."""
    around = (step, *ancestors(steps, step))
    return sum(item.structural_type in (StructuralType.PATHS, StructuralType.EACH) for item in around)


def in_tree_order(steps: Sequence[Step]) -> Steps:
    """Sort steps depth first and number them. Steps whose parent is missing are left out."""
    by_parent: dict[StepId | None, list[Step]] = {}
    for step in steps:
        by_parent.setdefault(step.parent_step_id, []).append(step)

    # Without recursion: an imported flow may be nested as deeply as it has steps.
    found: list[Step] = []
    waiting = by_parent.pop(None, [])[::-1]
    while waiting:
        step = waiting.pop()
        found.append(step)
        waiting += by_parent.pop(step.id, [])[::-1]
    return _numbered(found)


def always_matches(branch: Step | StepExport) -> bool:
    """Whether the branch is the default branch, whose conditions always match."""
    return any(group.get("and") == [] for group in branch.branch_conditions or ())


# Places


def position_after(steps: Sequence[Step], after: StepId) -> InsertPosition:
    """The place after a step and all steps inside it, on the same level."""
    step = find_step(steps, after)
    return InsertPosition(step.parent_step_id, _subtree_end(steps, step))


def position_inside(steps: Sequence[Step], inside: StepId) -> InsertPosition:
    """The first place in a branch or loop; in a branches step the last one, but before the default branch."""
    container = find_step(steps, inside)
    at = steps.index(container) + 1
    if container.structural_type is not StructuralType.PATHS:
        return InsertPosition(inside, at)
    held = children(steps, inside)
    if held and always_matches(held[-1]):
        return InsertPosition(inside, steps.index(held[-1]))
    return InsertPosition(inside, _subtree_end(steps, container))


def position_at_end(steps: Sequence[Step]) -> InsertPosition:
    """The place at the end of the flow."""
    return InsertPosition(None, len(steps))


def position_at(steps: Sequence[Step], position: int, inside: StepId | None) -> InsertPosition:
    """The place in `inside` with this position (from 1). Raises `ValidationFailed`."""
    if not 2 <= position <= len(steps) + 1:
        raise ValidationFailed({"position": [f"Choose a position from 2 to {len(steps) + 1}."]})
    if inside is not None:
        find_step(steps, inside)
    place = InsertPosition(inside, position - 1)
    if place.before not in _insert_indexes(steps, inside):
        if inside is None:
            raise ValidationFailed(
                {"inside": [f"Position {position} is inside another step. Set “inside” to its ID."]}
            )
        raise ValidationFailed({"position": [f"Position {position} isn't inside the given step."]})
    return place


def nearest_position(steps: Sequence[Step], position: int, inside: StepId | None) -> InsertPosition:
    """The place in `inside` that is nearest to this position. Raises `Conflict` if `inside` was deleted."""
    if inside is not None and all(step.id != inside for step in steps):
        raise Conflict(
            "The step that contained this one was deleted.",
            meaning="There is no place to restore it to.",
            todo="Restore the outer step first.",
        )
    return InsertPosition(
        inside, min(_insert_indexes(steps, inside), key=lambda index: abs(index - (position - 1)))
    )


def _insert_indexes(steps: Sequence[Step], inside: StepId | None) -> list[int]:
    """The number of steps before each place in `inside`. There is no place before the trigger."""
    first = 0 if inside is None else steps.index(find_step(steps, inside)) + 1
    ends = [_subtree_end(steps, step) for step in children(steps, inside)]
    return ends if inside is None and ends else [first, *ends]


def _subtree_end(steps: Sequence[Step], step: Step) -> int:
    return steps.index(step) + len(subtree(steps, step.id))


# Changing


def insert_steps(steps: Sequence[Step], new: Sequence[Step], place: InsertPosition) -> Steps:
    """Insert `new` (a step, followed by all steps inside it) at a place.

    Raises `ValidationFailed` if such a step isn't allowed there, or the flow would become too large.
    """
    root = new[0].model_copy(update={"parent_step_id": place.parent})
    container = find_step(steps, place.parent) if place.parent is not None else None
    if reason := _placement_error(root, container):
        raise ValidationFailed({"inside": [reason]})
    if root.type is StepType.TRIGGER and place.before > 0:
        raise ValidationFailed({"position": ["The trigger must be the first step."]})
    after = _numbered([*steps[: place.before], root, *new[1:], *steps[place.before :]])
    if reason := _limit_error(after):
        raise ValidationFailed({"steps": [reason]})
    return after


def remove_step(steps: Sequence[Step], step_id: StepId) -> tuple[Steps, Steps]:
    """Return the steps without this one and all inside it, and the removed ones with their old positions."""
    find_step(steps, step_id)
    out = subtree(steps, step_id)
    removed_ids = {step.id for step in out}
    return _numbered(step for step in steps if step.id not in removed_ids), out


def move_step_to(steps: Sequence[Step], step_id: StepId, position: int, inside: StepId | None) -> Steps:
    """Move a step and all steps inside it to a position, which is counted without the moved steps.

    Raises `ValidationFailed` if it isn't allowed there, for example inside itself.
    """
    rest, out = remove_step(steps, step_id)
    if any(step.id == inside for step in out):
        raise ValidationFailed({"inside": ["A step can't be moved into itself."]})
    return insert_steps(rest, out, position_at(rest, position, inside))


def _numbered(steps: Iterable[Step]) -> Steps:
    return tuple(
        step if step.position == position else step.model_copy(update={"position": position})
        for position, step in enumerate(steps, start=1)
    )


# Rules


def find_problem(steps: Sequence[Step]) -> str | None:
    """Why these steps aren't a valid flow, as a sentence; None if they are."""
    known = {step.id: step for step in steps}
    for step in steps:
        container = get_optional(known, step.parent_step_id)
        if step.parent_step_id and container is None:
            return f"Step {step.position} is inside a step that doesn't exist."
        if reason := _placement_error(step, container):
            return f"Step {step.position}: {reason}"
    if len(in_tree_order(steps)) != len(steps):
        return "Some steps contain each other in a cycle."
    return _limit_error(steps)


def _placement_error(step: Step, container: Step | None) -> str | None:
    """Why a step can't be in that container (None: in the flow); None if it can."""
    kind = step.structural_type
    if step.type is StepType.TRIGGER:
        is_allowed = kind is StructuralType.SINGLE and container is None
        return None if is_allowed else "The trigger must be a single step at the start of the flow."
    if kind is StructuralType.BRANCH:
        is_allowed = container is not None and container.structural_type is StructuralType.PATHS
        return None if is_allowed else "A branch must be inside a branches step."
    if container is None:
        return None
    if container.structural_type is StructuralType.PATHS:
        return f"A branches step can only contain branches. Put {_KINDS[kind]} into one of them."
    if not container.structural_type.is_container:
        return "This step can't contain others."
    return None


def _limit_error(steps: Sequence[Step]) -> str | None:
    if len(steps) > STEP_LIMIT:
        return f"A flow can have at most {STEP_LIMIT} steps."
    if any(nesting_depth(steps, step) > NESTING_LIMIT for step in steps):
        return f"Branches and loops can be nested at most {NESTING_LIMIT} levels deep."
    return None
