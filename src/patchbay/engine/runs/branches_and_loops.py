"""Pure functions for branches and loops: which branches match, and the items and output of a loop."""

from collections.abc import Sequence

from patchbay.domain.base import Json, JsonObject, StepId
from patchbay.domain.conditions import Groups, all_groups, operator_problem, unknown_operator
from patchbay.domain.engine import EngineSettings
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.flows import Step
from patchbay.domain.json_limits import read_json
from patchbay.domain.step_tree import always_matches
from patchbay.domain.variables import Outputs, as_text, resolve
from patchbay.engine.parameters import MAX_PARSED_CHARACTERS

ALL_BRANCHES = "all"
"""Mode of a branches step in which all matching branches run, not only the first."""

DEFAULT_MAX_ITEMS: int = EngineSettings().max_loop_items
"""Items per loop, unless the settings say otherwise."""


def branch_groups(branches: Sequence[Step], outputs: Outputs) -> list[Groups]:
    """The conditions of each branch with their references replaced; none for default branches.

    Raises `ValidationFailed` for an unknown comparison, and `PayloadTooLarge`.
    """
    given: list[Json] = [
        [] if always_matches(branch) else [*(branch.branch_conditions or ())] for branch in branches
    ]
    # In one call, because the size limit for inserted values applies to the whole step.
    resolved = resolve(given, outputs)
    found = resolved if isinstance(resolved, list) else []
    return [_checked_groups(branch, groups) for branch, groups in zip(branches, found, strict=True)]


def choose_branch_ids(mode: Json, branches: Sequence[Step], matches: Sequence[bool]) -> tuple[StepId, ...]:
    """The branches to run, in order: the first that matches, or all that match (`ALL_BRANCHES`).

    The default branch is chosen only if no other matches, wherever it is.
    """
    matched = [branch.id for branch, is_match in zip(branches, matches, strict=True) if is_match]
    matched = matched or [branch.id for branch in branches if always_matches(branch)]
    return tuple(matched if mode == ALL_BRANCHES else matched[:1])


def choose_branches(paths: Step, branches: Sequence[Step], matches: Sequence[bool]) -> JsonObject:
    """The output of a branches step: IDs and names of the branches to run."""
    ids = choose_branch_ids(paths.parameters.get("mode"), branches, matches)
    names = [branch_name(branch, number) for number, branch in enumerate(branches, 1) if branch.id in ids]
    return {"taken": [*ids], "names": [*names]}


def branch_name(branch: Step, number: int) -> str:
    """The branch's name, or a default name; `number` counts the branches from 1."""
    return branch.name or ("Default branch" if always_matches(branch) else f"Branch {number}")


def _checked_groups(branch: Step, conditions: Json) -> Groups:
    """The groups of a branch. Raises `ValidationFailed` if they can't be evaluated."""
    groups = all_groups(conditions if isinstance(conditions, list) else [])
    if unknown := unknown_operator(groups):
        raise _condition_error(branch, f"Unknown comparison “{unknown}”.")
    if problem := operator_problem(groups):
        raise _condition_error(branch, problem)
    return groups


def _condition_error(branch: Step, happened: str) -> ValidationFailed:
    return ValidationFailed(
        {"branchConditions": [happened]},
        happened=happened,
        todo=f"Choose another comparison in “{branch.name or 'this branch'}”.",
    )


def loop_items(parameters: JsonObject, outputs: Outputs, max_items: int = DEFAULT_MAX_ITEMS) -> list[Json]:
    """The items of a loop. A JSON list in a text is parsed; an empty value is an empty list.

    Raises `ValidationFailed` for anything else, and for more than `max_items` items.
    """
    # Parse JSON before replacing its references, so that quotes in values can't break it.
    value = resolve(_parse_list_text(parameters.get("list")), outputs)
    value = _parse_list_text(value)
    value = [] if value is None or value == "" else value
    if not isinstance(value, list):
        raise _not_a_list_error(value)
    if len(value) > max_items:
        raise _list_error(
            f"The list has {len(value):,} items, but a loop can have at most {max_items:,}.",
            "Fetch fewer items at once, or raise “Max. items per loop” in Settings → Engine.",
        )
    return value


def _parse_list_text(value: Json) -> Json:
    """Parse a text if it is a JSON list or object; otherwise strip it. Other values stay unchanged."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text[:1] not in ("[", "{") or text.startswith("{{"):
        return text
    if len(text) > MAX_PARSED_CHARACTERS:
        raise _list_error(
            f"The text of the list is longer than {MAX_PARSED_CHARACTERS:,} characters.",
            "Choose a value that is a list instead of text.",
        )
    try:
        return read_json(text)
    except ValueError:
        return text


def _not_a_list_error(value: Json) -> ValidationFailed:
    if isinstance(value, dict):
        inside = [key for key, item in value.items() if isinstance(item, list)]
        hint = f"Choose the list in it: “{inside[0]}”." if inside else "Choose a value that is a list."
        return _list_error("The loop needs a list, but got an object.", hint)
    text = " ".join(as_text(value).split())
    shown = text if len(text) <= 60 else text[:59] + "…"
    return _list_error(f"The loop needs a list, but got “{shown}”.", "Choose a value that is a list.")


def _list_error(happened: str, todo: str) -> ValidationFailed:
    return ValidationFailed({"list": [happened]}, happened=happened, todo=todo)


def loop_start_output(items: Sequence[Json]) -> JsonObject:
    """The output of a loop when it starts: the list and its length."""
    return {"items": [*items], "count": len(items)}


def loop_item_output(items: Sequence[Json], index: int) -> JsonObject:
    """The output of a loop for the steps inside it, at the item with this index (from 0)."""
    return {"item": items[index], "index": index, "number": index + 1, "count": len(items)}


def with_first_item(shown: Json) -> Json:
    """The output of a loop together with that for its first item, for testing the steps inside it."""
    items = shown.get("items") if isinstance(shown, dict) else None
    return (
        {**shown, **loop_item_output(items, 0)}
        if isinstance(shown, dict) and isinstance(items, list) and items
        else shown
    )


def loop_end_output(items: Sequence[Json], results: Sequence[Json]) -> JsonObject:
    """The output of a loop when it has ended; `results` has one entry per item."""
    return {"items": [*items], "count": len(items), "results": [*results]}
