"""Conditions: groups joined by “or”, each a list joined by “and”. Of filters, and of the branches of paths.

A condition is `{"key", "operator", "value"}`; key and value are texts in which references are replaced
before they are compared.
"""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.variables import as_text

Test = Callable[[str, str], bool]
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
_LOOKED_AT = 1_000


def as_number(value: Json) -> Decimal | None:
    """The number a value stands for, None when it stands for none. Only plain forms with a point count."""
    if isinstance(value, bool):
        return None
    text = as_text(value).strip()
    return Decimal(text) if len(text) <= _MAX_DIGITS and _NUMBER.fullmatch(text) else None


def _numeric(compare: Callable[[Decimal, Decimal], bool]) -> Test:
    """Compares as numbers; texts that are no numbers never match."""

    def test(left: str, right: str) -> bool:
        one, other = as_number(left), as_number(right)
        return one is not None and other is not None and compare(one, other)

    return test


_TESTS: dict[str, Test] = {
    "equal": lambda left, right: left == right,
    "not_equal": lambda left, right: left != right,
    "greater_than": _numeric(lambda left, right: left > right),
    "less_than": _numeric(lambda left, right: left < right),
    "greater_than_or_equal": _numeric(lambda left, right: left >= right),
    "less_than_or_equal": _numeric(lambda left, right: left <= right),
    "contains": lambda left, right: right in left,
    "not_contains": lambda left, right: right not in left,
}


def groups_of(parameter: Json) -> Groups:
    """The conditions of each group that has any. Takes the list of groups or `{"or": [groups]}`."""
    groups = parameter.get("or") if isinstance(parameter, dict) else parameter
    return [group for group in all_groups(groups) if group] if isinstance(groups, list) else []


def all_groups(groups: Sequence[Json]) -> Groups:
    """The conditions of each group, also of those that have none and therefore always hold."""
    found = [group.get("and") for group in groups if isinstance(group, dict)]
    return [_conditions(group) for group in found if isinstance(group, list)]


def _conditions(group: list[Json]) -> list[JsonObject]:
    return [condition for condition in group if isinstance(condition, dict)]


def matching(groups: Groups) -> Groups:
    """The groups whose conditions all hold."""
    return [group for group in groups if all(map(holds, group))]


def holds(condition: JsonObject) -> bool:
    """Whether one condition holds. An unknown operator raises KeyError; `unknown_operator` finds it first."""
    test = _TESTS[as_text(condition.get("operator"))]
    return test(as_text(condition.get("key")), as_text(condition.get("value")))


def unknown_operator(groups: Groups) -> str | None:
    """The first operator that does not exist."""
    operators = (as_text(condition.get("operator")) for group in groups for condition in group)
    return next((operator for operator in operators if operator not in _TESTS), None)


def in_words(condition: JsonObject) -> str:
    """The condition as a sentence part: “7” is greater than “10”."""
    left, right = _shown(condition.get("key")), _shown(condition.get("value"))
    operator = as_text(condition.get("operator"))
    return f"“{left}” {OPERATORS.get(operator, operator)} “{right}”"


def verdict(condition: JsonObject) -> str:
    """The condition and whether it holds: “7” is greater than “10”: no."""
    known = unknown_operator([[condition]]) is None
    return f"{in_words(condition)}: {'yes' if known and holds(condition) else 'no'}"


def _shown(value: Json) -> str:
    text = " ".join(as_text(value)[:_LOOKED_AT].split())
    return text if len(text) <= 40 else text[:39] + "…"
