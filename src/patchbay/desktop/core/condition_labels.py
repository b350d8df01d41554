"""What the window calls conditions: their comparisons, the units of time spans, and their results."""

from patchbay.desktop.core.language import tr
from patchbay.domain.base import JsonObject
from patchbay.domain.condition_operators import Operand, Operator
from patchbay.domain.conditions import operator_of, quick_match, shortened
from patchbay.domain.date_parsing import Moment
from patchbay.domain.variables import as_text

_COMPARISONS = {
    "equal": tr("equals", "comparison"),
    "not_equal": tr("doesn't equal", "comparison"),
    "greater_than": tr("is greater than", "comparison"),
    "less_than": tr("is less than", "comparison"),
    "greater_than_or_equal": tr("is at least", "comparison"),
    "less_than_or_equal": tr("is at most", "comparison"),
    "contains": tr("contains", "comparison"),
    "not_contains": tr("doesn't contain", "comparison"),
    "starts_with": tr("starts with", "comparison"),
    "not_starts_with": tr("doesn't start with", "comparison"),
    "ends_with": tr("ends with", "comparison"),
    "not_ends_with": tr("doesn't end with", "comparison"),
    "one_of": tr("is one of", "comparison"),
    "not_one_of": tr("isn't one of", "comparison"),
    "matches_pattern": tr("matches the pattern", "comparison"),
    "not_matches_pattern": tr("doesn't match the pattern", "comparison"),
    "includes": tr("includes the item", "comparison with an item of a list"),
    "not_includes": tr("doesn't include the item", "comparison with an item of a list"),
    "date_before": tr("is before", "comparison with a date"),
    "date_after": tr("is after", "comparison with a date"),
    "same_day": tr("is on the day", "comparison with a date"),
    "in_last": tr("is in the last", "comparison with a time span: 7 days"),
    "in_next": tr("is in the next", "comparison with a time span: 7 days"),
    "older_than": tr("is older than", "comparison with a time span: 7 days"),
    "is_true": tr("is true", "comparison"),
    "is_false": tr("is false", "comparison"),
    "is_empty": tr("is empty", "comparison"),
    "is_not_empty": tr("isn't empty", "comparison"),
}

UNIT_LABELS = {
    "minutes": tr("minutes", "after: is in the last 7"),
    "hours": tr("hours", "after: is in the last 7"),
    "days": tr("days", "after: is in the last 7"),
    "weeks": tr("weeks", "after: is in the last 7"),
    "months": tr("months", "after: is in the last 7"),
    "years": tr("years", "after: is in the last 7"),
}
"""The units by their names in stored time spans."""


def comparison_label(operator: Operator) -> str:
    """The name of a comparison, such as “is greater than”."""
    label = _COMPARISONS[operator.base_key]
    return tr("{comparison} (ignoring case)", comparison=label) if operator.ignores_case else label


def span_text(stored: str) -> str:
    """A stored time span, such as “7 days”, as it is shown."""
    number, _, unit = stored.rpartition(" ")
    return f"{number} {UNIT_LABELS[unit]}" if unit in UNIT_LABELS else stored


def result_text(condition: JsonObject, moment: Moment) -> str:
    """The condition and its result: “7” is greater than “10”: no. Patterns aren't evaluated."""
    text, result = _condition_text(condition), quick_match(condition, moment)
    if result:
        return tr("{condition}: yes", condition=text)
    if result is None and operator_of(condition) is not None:
        return tr("{condition}: checked when the step runs", condition=text)
    return tr("{condition}: no", condition=text)


def _condition_text(condition: JsonObject) -> str:
    operator, right = operator_of(condition), shortened(condition.get("value"))
    label = comparison_label(operator) if operator else as_text(condition.get("operator"))
    parts = [tr("“{value}”", value=shortened(condition.get("key"))), label]
    if operator is None or operator.operand is not Operand.NONE:
        is_span = operator is not None and operator.operand is Operand.SPAN
        parts.append(tr("“{value}”", value=span_text(right) if is_span else right))
    return " ".join(parts)
