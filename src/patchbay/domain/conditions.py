"""Conditions of filters and branches: groups joined by “or”, each a list of conditions joined by “and”.

A condition is `{"key", "operator", "value"}`. Key and value are texts; their references are replaced before
they are compared.
"""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.variables import as_text

Comparison = Callable[[str, str], bool]
Groups = list[list[JsonObject]]

OPERATORS: dict[str, str] = {
    "equal": "equals",
    "not_equal": "doesn’t equal",
    "greater_than": "is greater than",
    "less_than": "is less than",
    "greater_than_or_equal": "is at least",
    "less_than_or_equal": "is at most",
    "contains": "contains",
    "not_contains": "doesn't contain",
}

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_MAX_DIGITS = 400
_MAX_SHOWN_CHARACTERS = 1_000
_MAX_SHOWN_OPERATOR = 40


def as_number(value: Json) -> Decimal | None:
    """The number in a value, or None.

    Only plain decimal notation with a point counts, such as 7 or -1.5e3.
    """
    if isinstance(value, bool):
        return None
    text = as_text(value).strip()
    return Decimal(text) if len(text) <= _MAX_DIGITS and _NUMBER.fullmatch(text) else None


def _numeric(compare: Callable[[Decimal, Decimal], bool]) -> Comparison:
    """A comparison of numbers. It never matches if either side isn't a number."""

    def test(left: str, right: str) -> bool:
        one, other = as_number(left), as_number(right)
        return one is not None and other is not None and compare(one, other)

    return test


_COMPARISONS: dict[str, Comparison] = {
    "equal": lambda left, right: left == right,
    "not_equal": lambda left, right: left != right,
    "greater_than": _numeric(lambda left, right: left > right),
    "less_than": _numeric(lambda left, right: left < right),
    "greater_than_or_equal": _numeric(lambda left, right: left >= right),
    "less_than_or_equal": _numeric(lambda left, right: left <= right),
    "contains": lambda left, right: right in left,
    "not_contains": lambda left, right: right not in left,
}


def parse_groups(parameter: Json) -> Groups:
    """The non-empty groups of a parameter, which is a list of groups or `{"or": [groups]}`."""
    groups = parameter.get("or") if isinstance(parameter, dict) else parameter
    return [group for group in all_groups(groups) if group] if isinstance(groups, list) else []


def all_groups(groups: Sequence[Json]) -> Groups:
    """The conditions of each group, including empty groups, which always match."""
    found = [group.get("and") for group in groups if isinstance(group, dict)]
    return [
        [condition for condition in group if isinstance(condition, dict)]
        for group in found
        if isinstance(group, list)
    ]


def matching_groups(groups: Groups) -> Groups:
    """The groups whose conditions all match."""
    return [group for group in groups if all(map(condition_matches, group))]


def condition_matches(condition: JsonObject) -> bool:
    """Whether a condition matches. Raises `KeyError` for an unknown operator.

    Check with `unknown_operator` first.
    """
    compare = _COMPARISONS[as_text(condition.get("operator"))]
    return compare(as_text(condition.get("key")), as_text(condition.get("value")))


def unknown_operator(groups: Groups) -> str | None:
    """The first operator that doesn't exist; None if all do."""
    operators = (as_text(condition.get("operator")) for group in groups for condition in group)
    return next((operator for operator in operators if operator not in _COMPARISONS), None)


def operator_problem(groups: Groups) -> str | None:
    """What is wrong with the comparisons of conditions, in a sentence; None if all exist."""
    unknown = unknown_operator(groups)
    if unknown is None:
        return None
    if not unknown:
        return "A condition has no comparison. Choose one."
    return f"“{unknown[:_MAX_SHOWN_OPERATOR]}” isn't a valid comparison. Use one of {', '.join(OPERATORS)}."


def describe_condition(condition: JsonObject) -> str:
    """The condition in words: “7” is greater than “10”."""
    left, right = _shorten(condition.get("key")), _shorten(condition.get("value"))
    operator = as_text(condition.get("operator"))
    return f"“{left}” {OPERATORS.get(operator, operator)} “{right}”"


def describe_result(condition: JsonObject) -> str:
    """The condition and its result: “7” is greater than “10”: no."""
    known = unknown_operator([[condition]]) is None
    return f"{describe_condition(condition)}: {'yes' if known and condition_matches(condition) else 'no'}"


def _shorten(value: Json) -> str:
    text = " ".join(as_text(value)[:_MAX_SHOWN_CHARACTERS].split())
    return text if len(text) <= 40 else text[:39] + "…"
