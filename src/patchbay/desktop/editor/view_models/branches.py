"""Steps without an app: their fields, and a preview with the latest data."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce

from patchbay.desktop.core.condition_labels import result_text
from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.editor.view_models.step_tree import StepTree
from patchbay.domain.base import Json, StepId
from patchbay.domain.blockers import CONDITIONS_FIELD
from patchbay.domain.conditions import all_groups, quick_group_matches
from patchbay.domain.date_parsing import Moment
from patchbay.domain.errors import PayloadTooLarge
from patchbay.domain.fields import Argument
from patchbay.domain.flows import Step, StructuralType
from patchbay.domain.step_tree import always_matches
from patchbay.domain.variables import resolve

FIRST, ALL = "first", "all"
MODE = "mode"
LIST = "list"
CONDITIONS = CONDITIONS_FIELD
PREFERS_LISTS = "list"

EACH_ARGUMENTS = (
    Argument(
        key=LIST,
        label=tr("List", "label of a field"),
        required=True,
        variables=True,
        value_type=PREFERS_LISTS,
        placeholder=tr("A list from an earlier step"),
        description=tr("The steps in the loop run once per item, one after the other."),
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
    """Whether a branch matches and would run, with its evaluated conditions; None if a pattern decides it."""

    step: Step
    matches: bool | None
    conditions: tuple[str, ...] = ()
    taken: bool | None = False


def preview_branches(
    tree: StepTree, paths: Step, outputs: Mapping[StepId, Json], moment: Moment
) -> tuple[BranchPreview, ...]:
    """Evaluate each branch with these outputs."""
    found: list[BranchPreview] = []
    for branch in tree.children_of(paths.id):
        groups = all_groups(_resolved(branch, outputs))
        matches = False if always_matches(branch) else quick_group_matches(groups, moment)
        comparisons = tuple(result_text(condition, moment) for group in groups for condition in group)
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
    """Mark the branches that would run: those that match, or the default branches if none does.

    `taken` is None where that depends on a pattern.
    """
    marked: list[BranchPreview] = []
    any_before: bool | None = False
    for item in found:
        taken = item.matches
        if only_one and taken is not False and any_before is not False:
            taken = None if any_before is None else False
        any_before = True if any_before or item.matches else _either(any_before, item.matches)
        marked.append(replace(item, taken=taken))
    default_taken = None if any_before is None else not any_before
    return tuple(_with_default(marked, default_taken, only_one=only_one))


def _either(one: bool | None, other: bool | None) -> bool | None:
    return None if None in (one, other) else False


def _with_default(
    marked: list[BranchPreview], taken: bool | None, *, only_one: bool
) -> Iterator[BranchPreview]:
    for item in marked:
        if not always_matches(item.step):
            yield item
        else:
            yield replace(item, taken=taken)
            taken = False if only_one else taken


def preview(step: Step, outputs: Mapping[StepId, Json]) -> Json:
    """Return a loop's first item; None for other steps."""
    items = loop_items(step, outputs) if step.structural_type is StructuralType.EACH else None
    return {tr("first item"): items[0]} if items else None


def preview_text(
    tree: StepTree,
    step: Step,
    outputs: Mapping[StepId, Json],
    titles: Mapping[StepId, str],
    moment: Moment,
) -> str:
    """Return what the step would do: a sentence, then each comparison with its result."""
    if step.structural_type is StructuralType.EACH:
        return _items_text(loop_items(step, outputs))
    found = _previews_for(tree, step, outputs, moment)
    if step.structural_type is StructuralType.BRANCH:
        compared = [comparisons for item in found for comparisons in item.conditions]
        return "\n".join([_branch_text(tree, step, outputs, titles, moment), *compared])
    taken = _taken_text(found, titles)
    compared = [
        f"{titles.get(item.step.id, '')}: {comparisons}" for item in found for comparisons in item.conditions
    ]
    return "\n".join([taken, *compared])


def _taken_text(found: tuple[BranchPreview, ...], titles: Mapping[StepId, str]) -> str:
    if any(item.taken is None for item in found):
        return tr("Which branches run depends on a pattern. Test the step to check it.")
    names = [tr("“{name}”", name=titles.get(item.step.id, "")) for item in found if item.taken]
    if not names:
        return tr("No branch matches the latest data.")
    return tr_count(
        len(names),
        "With the latest data, {branches} would run.",
        "With the latest data, {branches} would run.",
        branches=reduce(_listed, names),
    )


def _listed(names: str, name: str) -> str:
    return tr("{names} and {name}", "names of branches", names=names, name=name)


def _branch_text(
    tree: StepTree,
    branch: Step,
    outputs: Mapping[StepId, Json],
    titles: Mapping[StepId, str],
    moment: Moment,
) -> str:
    paths = tree.step(branch.parent_step_id)
    siblings = preview_branches(tree, paths, outputs, moment) if paths else ()
    own = next((item for item in siblings if item.step.id == branch.id), None)
    if own is not None and own.taken is None:
        return tr("Whether this branch runs depends on a pattern. Test the step that contains it.")
    if own is not None and own.taken:
        return tr("The latest data matches this branch.")
    first = next((titles.get(item.step.id, "") for item in siblings if item.taken), "")
    if own is not None and own.matches and first:
        return tr("The latest data matches this branch, but “{name}” comes first.", name=first)
    return tr("The latest data doesn't match this branch.")


def _previews_for(
    tree: StepTree, step: Step, outputs: Mapping[StepId, Json], moment: Moment
) -> tuple[BranchPreview, ...]:
    """Return all branches of a branching step, or the branch itself."""
    if step.structural_type is StructuralType.PATHS:
        return preview_branches(tree, step, outputs, moment)
    paths = tree.step(step.parent_step_id)
    siblings = preview_branches(tree, paths, outputs, moment) if paths else ()
    return tuple(item for item in siblings if item.step.id == step.id)


def _items_text(items: list[Json] | None) -> str:
    if items is None:
        return tr("There is no list yet. Choose one, or test the step it comes from.")
    if not items:
        return tr("The list is empty in the latest data, so the steps in the loop wouldn't run.")
    return tr_count(len(items), "The latest data has {n} item.", "The latest data has {n} items.")
