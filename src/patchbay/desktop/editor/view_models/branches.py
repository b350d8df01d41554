"""Steps without an app: their fields, and a preview with the latest data."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from patchbay.desktop.editor.view_models.step_tree import StepTree
from patchbay.domain.base import Json, StepId
from patchbay.domain.conditions import all_groups, describe_result, matching_groups, unknown_operator
from patchbay.domain.errors import PayloadTooLarge
from patchbay.domain.fields import Argument
from patchbay.domain.flows import Step, StructuralType
from patchbay.domain.step_tree import always_matches
from patchbay.domain.variables import resolve

FIRST, ALL = "first", "all"
MODE = "mode"
LIST = "list"
CONDITIONS = "branchConditions"
PREFERS_LISTS = "list"

EACH_ARGUMENTS = (
    Argument(
        key=LIST,
        label="List",
        required=True,
        variables=True,
        value_type=PREFERS_LISTS,
        placeholder="A list from an earlier step",
        description="The steps in the loop run once per item, one after the other.",
    ),
)


def structure_arguments(step: Step) -> tuple[Argument, ...]:
    """Return the generated fields of a step without an app."""
    return EACH_ARGUMENTS if step.structural_type is StructuralType.EACH else ()


def loop_items(step: Step, outputs: Mapping[StepId, Json]) -> list[Json] | None:
    """Return the items of a loop with these outputs; None if the value isn't a list."""
    try:
        found = _parse_list(resolve(_parse_list(step.parameters.get(LIST)), outputs))
    except PayloadTooLarge:
        return None
    return found if isinstance(found, list) else None


def _parse_list(value: Json) -> Json:
    """Parse a JSON list; other values are returned unchanged."""
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return value
    try:
        found: Json = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return found


@dataclass(frozen=True)
class BranchPreview:
    """Whether a branch matches and would run, with its evaluated conditions."""

    step: Step
    matches: bool
    conditions: tuple[str, ...] = ()
    taken: bool = False


def preview_branches(
    tree: StepTree, paths: Step, outputs: Mapping[StepId, Json]
) -> tuple[BranchPreview, ...]:
    """Evaluate each branch with these outputs."""
    found: list[BranchPreview] = []
    for branch in tree.children_of(paths.id):
        groups = all_groups(_resolved(branch, outputs))
        known = unknown_operator(groups) is None
        matches = known and not always_matches(branch) and bool(matching_groups(groups))
        comparisons = tuple(describe_result(condition) for group in groups for condition in group)
        found.append(BranchPreview(branch, matches, comparisons))
    return _mark_taken(found, only_one=paths.parameters.get(MODE) != ALL)


def _resolved(branch: Step, outputs: Mapping[StepId, Json]) -> list[Json]:
    """Return the conditions with values inserted, or unchanged if the values are too large."""
    conditions = [dict(item) for item in branch.branch_conditions or ()]
    try:
        return [resolve(item, outputs) for item in conditions]
    except PayloadTooLarge:
        return [*conditions]


def _mark_taken(found: list[BranchPreview], *, only_one: bool) -> tuple[BranchPreview, ...]:
    """Return the matching branches, or the default branches if none matches."""
    matching_branches = [item for item in found if item.matches]
    matching_branches = matching_branches or [item for item in found if always_matches(item.step)]
    taken = {item.step.id for item in (matching_branches[:1] if only_one else matching_branches)}
    return tuple(replace(item, taken=item.step.id in taken) for item in found)


def preview(step: Step, outputs: Mapping[StepId, Json]) -> Json:
    """Return a loop's first item; None for other steps."""
    items = loop_items(step, outputs) if step.structural_type is StructuralType.EACH else None
    return {"first item": items[0]} if items else None


def preview_text(
    tree: StepTree, step: Step, outputs: Mapping[StepId, Json], titles: Mapping[StepId, str]
) -> str:
    """Return what the step would do: a sentence, then each comparison with its result."""
    if step.structural_type is StructuralType.EACH:
        return _items_text(loop_items(step, outputs))
    found = _previews_for(tree, step, outputs)
    if step.structural_type is StructuralType.BRANCH:
        compared = [comparisons for item in found for comparisons in item.conditions]
        return "\n".join([_branch_text(tree, step, outputs, titles), *compared])
    names = [f"“{titles.get(item.step.id, '')}”" for item in found if item.taken]
    taken = (
        f"With the latest data, {' and '.join(names)} would run."
        if names
        else "No branch matches the latest data."
    )
    compared = [
        f"{titles.get(item.step.id, '')}: {comparisons}" for item in found for comparisons in item.conditions
    ]
    return "\n".join([taken, *compared])


def _branch_text(
    tree: StepTree, branch: Step, outputs: Mapping[StepId, Json], titles: Mapping[StepId, str]
) -> str:
    paths = tree.step(branch.parent_step_id)
    siblings = preview_branches(tree, paths, outputs) if paths else ()
    own = next((item for item in siblings if item.step.id == branch.id), None)
    if own is not None and own.taken:
        return "The latest data matches this branch."
    first = next((titles.get(item.step.id, "") for item in siblings if item.taken), "")
    if own is not None and own.matches and first:
        return f"The latest data matches this branch, but “{first}” comes first."
    return "The latest data doesn't match this branch."


def _previews_for(tree: StepTree, step: Step, outputs: Mapping[StepId, Json]) -> tuple[BranchPreview, ...]:
    """Return all branches of a branching step, or the branch itself."""
    if step.structural_type is StructuralType.PATHS:
        return preview_branches(tree, step, outputs)
    paths = tree.step(step.parent_step_id)
    siblings = preview_branches(tree, paths, outputs) if paths else ()
    return tuple(item for item in siblings if item.step.id == step.id)


def _items_text(items: list[Json] | None) -> str:
    if items is None:
        return "There is no list yet. Choose one, or test the step it comes from."
    if not items:
        return "The list is empty in the latest data, so the steps in the loop wouldn't run."
    return "The latest data has 1 item." if len(items) == 1 else f"The latest data has {len(items):,} items."
