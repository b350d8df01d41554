"""What the window calls the comparisons of conditions and the units of time spans."""

from patchbay.desktop.core.language import tr
from patchbay.domain.condition_operators import Operator

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
