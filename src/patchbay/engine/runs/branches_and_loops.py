"""What steps that hold others do: which branches paths take, and what a loop goes through. Pure functions."""

from collections.abc import Sequence

from patchbay.domain.base import Json, JsonObject, StepId
from patchbay.domain.conditions import all_groups, matching_groups, unknown_operator
from patchbay.domain.engine import EngineSettings
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.flows import Step
from patchbay.domain.json_limits import read_json
from patchbay.domain.step_tree import always_matches
from patchbay.domain.variables import Outputs, as_text, resolve
from patchbay.engine.parameters import MAX_PARSED_CHARACTERS

ALL_BRANCHES = "all"
"""Mode of paths: every branch that holds is taken, not only the first."""

DEFAULT_MAX_ITEMS: int = EngineSettings().max_loop_items
"""Items one loop may go through where the settings say nothing else."""


def choose_branch_ids(mode: Json, branches: Sequence[Step], outputs: Outputs) -> tuple[StepId, ...]:
    """The branches that run, in their order: the first whose conditions hold, or every one (`all`).

    One that always holds is taken when no other is, wherever it stands: it is the "otherwise". Raises
    `ValidationFailed` for a comparison that does not exist.
    """
    conditional = [branch for branch in branches if not always_matches(branch)]
    # In one go, because what references may insert is limited for the whole step.
    resolved = resolve([[*(branch.branch_conditions or ())] for branch in conditional], outputs)
    found = resolved if isinstance(resolved, list) else []
    matched = [branch.id for branch, given in zip(conditional, found, strict=True) if _matches(branch, given)]
    matched = matched or [branch.id for branch in branches if always_matches(branch)]
    return tuple(matched if mode == ALL_BRANCHES else matched[:1])


def choose_branches(paths: Step, branches: Sequence[Step], outputs: Outputs) -> JsonObject:
    """What a `paths` step puts out: ids and names of the branches it takes. Raises as `choose_branch_ids`."""
    ids = choose_branch_ids(paths.parameters.get("mode"), branches, outputs)
    names = [branch_name(branch, number) for number, branch in enumerate(branches, 1) if branch.id in ids]
    return {"taken": [*ids], "names": [*names]}


def branch_name(branch: Step, number: int) -> str:
    """What people call it; `number` counts the branches of the paths from 1."""
    return branch.name or ("Otherwise" if always_matches(branch) else f"Path {number}")


def _matches(branch: Step, conditions: Json) -> bool:
    """Whether the conditions of a branch, with references replaced, hold."""
    groups = all_groups(conditions if isinstance(conditions, list) else [])
    if unknown := unknown_operator(groups):
        raise ValidationFailed(
            {"branchConditions": [f"There is no comparison “{unknown}”."]},
            happened=f"There is no comparison “{unknown}”.",
            todo=f"Choose another one in “{branch.name or 'this branch'}”.",
        )
    return bool(matching_groups(groups))


def loop_items(parameters: JsonObject, outputs: Outputs, max_items: int = DEFAULT_MAX_ITEMS) -> list[Json]:
    """What a loop goes through, in order. The text of a JSON list is read; nothing at all is an empty list.

    Raises `ValidationFailed` for what is no list, and for more than `max_items` items.
    """
    value = _resolve_list(parameters.get("list"), outputs)
    if not isinstance(value, list):
        raise _not_a_list_error(value)
    if len(value) > max_items:
        raise _list_error(
            f"The list has {len(value):,} items, and a loop takes {max_items:,} at most.",
            "Fetch fewer at once, or raise “Max. items per loop” in Settings → Engine.",
        )
    return value


def _resolve_list(given: Json, outputs: Outputs) -> Json:
    # A JSON text is taken apart before its references are replaced: no value can then break it.
    value = resolve(_parse_list_text(given), outputs)
    value = _parse_list_text(value)
    return [] if value is None or value == "" else value


def _parse_list_text(value: Json) -> Json:
    """The list or object that a text holds as JSON; every other value as it is, without outer spaces."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text[:1] not in ("[", "{") or text.startswith("{{"):
        return text
    if len(text) > MAX_PARSED_CHARACTERS:
        raise _list_error(
            f"The text of the list is longer than {MAX_PARSED_CHARACTERS:,} characters.",
            "Choose a value that is a list, rather than the text of one.",
        )
    try:
        return read_json(text)
    except ValueError:
        return text


def _not_a_list_error(value: Json) -> ValidationFailed:
    if isinstance(value, dict):
        inside = [key for key, item in value.items() if isinstance(item, list)]
        hint = f"Choose the list in it: “{inside[0]}”." if inside else "Choose a value that is a list."
        return _list_error("The loop was given one object, not a list.", hint)
    text = " ".join(as_text(value).split())
    shown = text if len(text) <= 60 else text[:59] + "…"
    return _list_error(f"The loop was given “{shown}”, which is no list.", "Choose a value that is a list.")


def _list_error(happened: str, todo: str) -> ValidationFailed:
    return ValidationFailed({"list": [happened]}, happened=happened, todo=todo)


def loop_start_output(items: Sequence[Json]) -> JsonObject:
    """What an `each` step puts out when it begins: the list and how long it is."""
    return {"items": [*items], "count": len(items)}


def loop_item_output(items: Sequence[Json], index: int) -> JsonObject:
    """What an `each` step offers the steps it holds, at the item with this index (from 0)."""
    return {"item": items[index], "index": index, "number": index + 1, "count": len(items)}


def with_first_item(shown: Json) -> Json:
    """The output of an `each` step with what its first item offers, for trying the steps it holds."""
    items = shown.get("items") if isinstance(shown, dict) else None
    return (
        {**shown, **loop_item_output(items, 0)}
        if isinstance(shown, dict) and isinstance(items, list) and items
        else shown
    )


def loop_end_output(items: Sequence[Json], results: Sequence[Json]) -> JsonObject:
    """What an `each` step puts out at its end; `results` has one entry for each item that was run."""
    return {"items": [*items], "count": len(items), "results": [*results]}
