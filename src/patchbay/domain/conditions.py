"""Conditions of filters and branches: groups joined by “or”, each a list of conditions joined by “and”.

A condition is `{"key", "operator", "value"}`. Key and value are texts; their references are replaced before
they are compared.
"""

from collections.abc import Iterable, Iterator, Sequence

from patchbay.domain.base import EpochMs, Json, JsonObject
from patchbay.domain.condition_operators import IGNORING_CASE, OPERATORS, Operand, Operator
from patchbay.domain.date_parsing import Moment, parse_span
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.patterns import SLOW_PATTERN, SLOW_PATTERN_TODO, InvalidPattern, compile_pattern
from patchbay.domain.variables import as_text, references

Groups = list[list[JsonObject]]

_MAX_SHOWN_CHARACTERS = 1_000
_MAX_SHOWN_OPERATOR = 40
_MAX_QUICK_CHARACTERS = 1_000_000


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


def operator_of(condition: JsonObject) -> Operator | None:
    """The comparison of a condition; None if it doesn't exist."""
    return OPERATORS.get(as_text(condition.get("operator")))


# Evaluation


def has_patterns(groups: Groups) -> bool:
    """Whether a condition contains a pattern.

    Patterns can take exponential time, so such groups are evaluated in a worker process.
    """
    return any(_is_pattern(condition) for group in groups for condition in group)


def _is_pattern(condition: JsonObject) -> bool:
    operator = operator_of(condition)
    return operator is not None and operator.operand is Operand.PATTERN


def condition_matches(condition: JsonObject, moment: Moment) -> bool:
    """Whether a condition matches. Raises `KeyError` for an unknown operator, and `ValidationFailed` for a
    pattern that isn't valid or takes too long.

    Check with `unknown_operator` first.
    """
    operator = OPERATORS[as_text(condition.get("operator"))]
    try:
        return operator.matches(condition.get("key"), condition.get("value"), moment)
    except InvalidPattern as error:
        raise ValidationFailed({"value": [str(error)]}, happened=str(error), todo=error.todo) from None
    except TimeoutError:
        raise ValidationFailed(
            {"value": [SLOW_PATTERN]}, happened=SLOW_PATTERN, todo=SLOW_PATTERN_TODO
        ) from None


def evaluate_groups(groups: Groups, now: EpochMs, time_zone: str) -> list[list[bool]]:
    """Whether each condition of each group matches. Raises as `condition_matches`."""
    moment = Moment.in_zone(now, time_zone)
    return [[condition_matches(condition, moment) for condition in group] for group in groups]


def quick_match(condition: JsonObject, moment: Moment) -> bool | None:
    """Whether a condition matches; None for what takes too long for the window, and for an unknown operator.

    That is a pattern, and a long text.
    """
    texts = (condition.get("key"), condition.get("value"))
    is_long = any(isinstance(text, str) and len(text) > _MAX_QUICK_CHARACTERS for text in texts)
    if operator_of(condition) is None or is_long or _is_pattern(condition):
        return None
    return condition_matches(condition, moment)


def quick_group_matches(groups: Groups, moment: Moment) -> bool | None:
    """Whether any group matches, without evaluating patterns; None if that depends on one."""
    results = [_all_match(quick_match(condition, moment) for condition in group) for group in groups]
    if any(results):
        return True
    return None if None in results else False


def _all_match(results: Iterable[bool | None]) -> bool | None:
    found: bool | None = True
    for result in results:
        if result is False:
            return False
        found = None if result is None else found
    return found


# Problems


def unknown_operator(groups: Groups) -> str | None:
    """The first operator that doesn't exist; None if all do."""
    operators = (as_text(condition.get("operator")) for group in groups for condition in group)
    return next((operator for operator in operators if operator not in OPERATORS), None)


def has_empty_condition(groups: Groups) -> bool:
    """Whether a condition has neither a value to check nor one to compare with."""
    return any(
        not as_text(condition.get("key")) and not as_text(condition.get("value"))
        for group in groups
        for condition in group
    )


def operator_problem(groups: Groups) -> str | None:
    """What is wrong with the comparisons of conditions, in a sentence; None if they can be evaluated."""
    unknown = unknown_operator(groups)
    if unknown is not None:
        if not unknown:
            return "A condition has no comparison. Choose one."
        known = ", ".join(key for key in OPERATORS if not key.endswith(IGNORING_CASE))
        return f"“{unknown[:_MAX_SHOWN_OPERATOR]}” isn't a valid comparison. Use one of {known}."
    return next(_operand_problems(groups), None)


def _operand_problems(groups: Groups) -> Iterator[str]:
    for group in groups:
        for condition in group:
            operator, value = operator_of(condition), condition.get("value")
            if operator is None or any(references(value)):
                continue
            text = as_text(value)
            if operator.operand is Operand.SPAN and parse_span(text) is None:
                yield f"“{operator.label}” needs a time span, such as 7 days."
            elif operator.operand is Operand.PATTERN:
                yield from _pattern_problem(text)


def _pattern_problem(pattern: str) -> Iterator[str]:
    if not pattern:
        yield "A condition has no pattern. Enter one."
        return
    try:
        compile_pattern(pattern)
    except InvalidPattern as error:
        yield str(error)


# Words


def describe_condition(condition: JsonObject) -> str:
    """The condition in words: “7” is greater than “10”."""
    left, right = shortened(condition.get("key")), shortened(condition.get("value"))
    operator = operator_of(condition)
    if operator is None:
        return f"“{left}” {as_text(condition.get('operator'))} “{right}”"
    return f"“{left}” {operator.label}" + ("" if operator.operand is Operand.NONE else f" “{right}”")


def shortened(value: Json) -> str:
    """The beginning of an operand, on one line."""
    text = " ".join(as_text(value)[:_MAX_SHOWN_CHARACTERS].split())
    return text if len(text) <= 40 else text[:39] + "…"
