"""Conditions: groups joined by “or”, each a list joined by “and”. Of filters, and of the branches of paths.

A condition is `{"key", "operator", "value"}`; key and value are texts in which references are replaced
before they are compared.
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
    "not_equal": "does not equal",
    "greater_than": "is greater than",
    "less_than": "is less than",
    "greater_than_or_equal": "is at least",
    "less_than_or_equal": "is at most",
    "contains": "contains",
    "not_contains": "does not contain",
}

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_MAX_DIGITS = 400
_MAX_SHOWN_CHARACTERS = 1_000


def as_number(value: Json) -> Decimal | None:
    """The number a value stands for, None when it stands for none. Only plain forms with a point count."""
    if isinstance(value, bool):
        return None
    text = as_text(value).strip()
    return Decimal(text) if len(text) <= _MAX_DIGITS and _NUMBER.fullmatch(text) else None


def _numeric(compare: Callable[[Decimal, Decimal], bool]) -> Comparison:
    """Compares as numbers; texts that are no numbers never match."""

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
    """The conditions of each group that has any. Takes the list of groups or `{"or": [groups]}`."""
    groups = parameter.get("or") if isinstance(parameter, dict) else parameter
    return [group for group in all_groups(groups) if group] if isinstance(groups, list) else []


def all_groups(groups: Sequence[Json]) -> Groups:
    """The conditions of each group, also of those that have none and therefore always hold."""
    found = [group.get("and") for group in groups if isinstance(group, dict)]
    return [_conditions(group) for group in found if isinstance(group, list)]


def _conditions(group: list[Json]) -> list[JsonObject]:
    return [condition for condition in group if isinstance(condition, dict)]


def matching_groups(groups: Groups) -> Groups:
    """The groups whose conditions all hold."""
    return [group for group in groups if all(map(condition_matches, group))]


def condition_matches(condition: JsonObject) -> bool:
    """Whether one condition holds. An unknown operator raises KeyError; `unknown_operator` finds it first."""
    test = _COMPARISONS[as_text(condition.get("operator"))]
    return test(as_text(condition.get("key")), as_text(condition.get("value")))


def unknown_operator(groups: Groups) -> str | None:
    """The first operator that does not exist."""
    operators = (as_text(condition.get("operator")) for group in groups for condition in group)
    return next((operator for operator in operators if operator not in _COMPARISONS), None)


def describe_condition(condition: JsonObject) -> str:
    """The condition as a sentence part: “7” is greater than “10”."""
    left, right = _shorten(condition.get("key")), _shorten(condition.get("value"))
    operator = as_text(condition.get("operator"))
    return f"“{left}” {OPERATORS.get(operator, operator)} “{right}”"


def describe_result(condition: JsonObject) -> str:
    """The condition and whether it holds: “7” is greater than “10”: no."""
    known = unknown_operator([[condition]]) is None
    return f"{describe_condition(condition)}: {'yes' if known and condition_matches(condition) else 'no'}"


def _shorten(value: Json) -> str:
    text = " ".join(as_text(value)[:_MAX_SHOWN_CHARACTERS].split())
    return text if len(text) <= 40 else text[:39] + "…"
