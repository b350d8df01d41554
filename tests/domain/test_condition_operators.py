"""Every comparison of conditions, with values it suits and values it can't compare."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchbay.domain.condition_operators import IGNORING_CASE, OPERATORS, Operand, case_variant
from patchbay.domain.conditions import (
    condition_matches,
    describe_condition,
    has_patterns,
    operator_problem,
    quick_group_matches,
)
from patchbay.domain.date_parsing import Moment, parse_span
from patchbay.domain.errors import ValidationFailed

VIENNA = ZoneInfo("Europe/Vienna")
NOON = Moment(int(datetime(2026, 3, 2, 12, 0, tzinfo=VIENNA).timestamp() * 1000), VIENNA)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


def condition(key: Any, operator: str, value: Any = "") -> dict[str, Any]:
    return {"key": key, "operator": operator, "value": value}


def matches(key: Any, operator: str, value: Any = "") -> bool:
    return condition_matches(condition(key, operator, value), NOON)


@pytest.mark.parametrize(
    ("key", "operator", "value", "expected"),
    [
        ("invoice-7", "starts_with", "invoice", True),
        ("invoice-7", "starts_with", "Invoice", False),
        ("invoice-7", "starts_with_ignoring_case", "Invoice", True),
        ("invoice-7", "not_starts_with", "bill", True),
        ("a.PDF", "ends_with", ".pdf", False),
        ("a.PDF", "ends_with_ignoring_case", ".pdf", True),
        ("a.PDF", "not_ends_with_ignoring_case", ".pdf", False),
        ("STRASSE", "equal_ignoring_case", "straße", True),
        ("open", "not_equal_ignoring_case", "OPEN", False),
        ("Out of Office", "contains_ignoring_case", "office", True),
        ("Out of Office", "not_contains_ignoring_case", "office", False),
        ("DE", "one_of", "AT, DE,CH", True),
        ("de", "one_of", "AT, DE,CH", False),
        ("de", "one_of_ignoring_case", "AT, DE,CH", True),
        ("a, b", "one_of", "a, b\nc", True),
        ("FR", "not_one_of", ["AT", "DE"], True),
        (7, "one_of", [5, 7], True),
        (7, "one_of", "[5,7]", True),
        ("", "one_of", "", False),
        ("INV-0042", "matches_pattern", r"^INV-\d+$", True),
        ("inv-0042", "matches_pattern", r"^INV-\d+$", False),
        ("inv-0042", "matches_pattern_ignoring_case", r"^INV-\d+$", True),
        ("no number", "not_matches_pattern", r"\d", True),
        (["red", "blue"], "includes", "blue", True),
        ('["red","blue"]', "includes", "Blue", False),
        ('["red","blue"]', "includes_ignoring_case", "Blue", True),
        ([1, 2], "includes", "2", True),
        ("", "includes", "", False),
        ("red", "includes", "red", True),
        ([], "not_includes", "red", True),
        ("", "is_empty", "", True),
        (None, "is_empty", "", True),
        ("  ", "is_empty", "", True),
        ([], "is_empty", "", True),
        ({}, "is_empty", "", True),
        ("[]", "is_empty", "", True),
        (0, "is_empty", "", False),
        (False, "is_empty", "", False),
        ([None], "is_not_empty", "", True),
        (True, "is_true", "", True),
        ("Yes", "is_true", "", True),
        ("", "is_true", "", False),
        (0, "is_false", "", True),
        ("", "is_false", "", False),
    ],
)
def test_texts_lists_and_booleans_are_compared(key, operator, value, expected):
    assert matches(key, operator, value) is expected


@pytest.mark.parametrize(
    ("key", "operator", "value", "expected"),
    [
        ("2026-03-01", "date_before", "2026-03-02", True),
        ("2026-03-02T08:00:00Z", "date_before", "now", True),
        ("2026-03-02T12:00:01+01:00", "date_after", "now", True),
        ("2026-03-02T23:59:00+01:00", "date_after", "2026-03-02", False),
        ("2026-03-02T23:30:00Z", "date_after", "2026-03-02", True),
        ("2026-03-02T23:30:00Z", "same_day", "2026-03-03", True),
        ("2026-03-02 09:00", "same_day", "today", True),
        ("2026-03-01 09:00", "same_day", "yesterday", True),
        ("2026-03-03 09:00", "same_day", "tomorrow", True),
        ("2 March 2026", "same_day", "2026-03-02T18:00", True),
        (1772449200, "same_day", "today", True),
        (1772449200000, "date_after", "2026-01-01", True),
        ("2026-02-28 12:00", "in_last", "2 days", True),
        ("2026-02-28 11:59", "in_last", "2 days", False),
        ("2026-03-02 12:01", "in_last", "2 days", False),
        ("2026-03-02 11:31", "in_last", "30 minutes", True),
        ("2026-02-02", "in_last", "1 month", False),
        ("2026-02-03", "in_last", "1 month", True),
        ("2026-03-09 12:00", "in_next", "1 week", True),
        ("2026-03-09 12:01", "in_next", "1 week", False),
        ("2025-03-01", "older_than", "1 year", True),
        ("2025-03-03", "older_than", "1 year", False),
        ("soon", "date_before", "now", False),
        ("soon", "date_after", "now", False),
        ("2026-03-02", "date_before", "soon", False),
        ("2026-03-02", "in_last", "a while", False),
        ("2026-03-02", "older_than", "999999 years", False),
        ("0001-01-01", "same_day", "0001-01-01", True),
    ],
)
def test_dates_are_compared_in_the_time_zone_of_the_workspace(key, operator, value, expected):
    assert matches(key, operator, value) is expected


def test_a_day_is_a_day_when_the_clocks_change():
    after_change = Moment(int(datetime(2026, 3, 29, 12, 0, tzinfo=VIENNA).timestamp() * 1000), VIENNA)

    assert condition_matches(condition("2026-03-28 12:00", "in_last", "1 day"), after_change)
    assert not condition_matches(condition("2026-03-28 12:00", "in_last", "22 hours"), after_change)
    assert condition_matches(condition("2026-03-28 13:00", "in_last", "22 hours"), after_change)


@given(JSON, st.sampled_from(sorted(OPERATORS)), JSON)
def test_a_comparison_of_any_two_values_has_a_result(key, operator, value):
    if OPERATORS[operator].operand is not Operand.PATTERN:
        assert condition_matches(condition(key, operator, value), NOON) in (True, False)


@pytest.mark.parametrize("operator", [key for key in OPERATORS if key.startswith("not_")])
@given(key=st.text(max_size=8), value=st.text(max_size=8))
def test_the_opposite_of_a_comparison_matches_when_it_does_not(operator, key, value):
    if OPERATORS[operator].operand is not Operand.PATTERN:
        assert matches(key, operator, value) is not matches(key, operator.removeprefix("not_"), value)


def test_a_pattern_that_is_not_valid_or_too_slow_is_reported():
    with pytest.raises(ValidationFailed, match="The pattern isn't valid"):
        matches("a", "matches_pattern", "(")
    with pytest.raises(ValidationFailed, match="more than 1 second"):
        matches("a" * 40 + "!", "matches_pattern", r"^(a|a)+$")


@pytest.mark.parametrize(
    ("operator", "value", "problem"),
    [
        ("in_last", "", "“is in the last” needs a time span, such as 7 days."),
        ("older_than", "7", "“is older than” needs a time span, such as 7 days."),
        ("matches_pattern", "", "A condition has no pattern. Enter one."),
        ("matches_pattern", "a{2", None),
        ("matches_pattern", "[a", "The pattern isn't valid"),
        ("matches_pattern", "a{9999}{9999}", "The pattern is too large."),
        ("in_last", "{{step.a.b}} days", None),
        ("matches_pattern", "{{step.a.b}}", None),
        ("is_empty", "", None),
        ("", "", "A condition has no comparison. Choose one."),
        ("like", "", "“like” isn't a valid comparison"),
    ],
)
def test_problems_of_comparisons_are_found_before_a_run(operator, value, problem):
    found = operator_problem([[condition("{{step.a.b}}", operator, value)]])

    assert (found is None) if problem is None else found is not None and found.startswith(problem)


def test_comparisons_ignore_case_where_case_exists():
    assert case_variant("contains", ignoring_case=True) == "contains_ignoring_case"
    assert case_variant("contains_ignoring_case", ignoring_case=False) == "contains"
    assert case_variant("greater_than", ignoring_case=True) is None
    assert all(one.label.endswith("(ignoring case)") for one in OPERATORS.values() if one.ignores_case)
    assert {key for key in OPERATORS if key.endswith(IGNORING_CASE)} == {
        one.key for one in OPERATORS.values() if one.ignores_case
    }


def test_a_unary_comparison_is_described_without_a_second_value():
    assert describe_condition(condition("", "is_empty", "old text")) == "“” is empty"


def test_patterns_are_left_to_the_engine_and_the_rest_decides_if_it_can():
    slow = condition("a", "matches_pattern", "a")
    yes, no = condition("a", "equal", "a"), condition("a", "equal", "b")

    assert has_patterns([[yes], [slow]])
    assert not has_patterns([[yes]])
    assert quick_group_matches([[slow], [yes]], NOON) is True
    assert quick_group_matches([[slow, no]], NOON) is False
    assert quick_group_matches([[slow, yes]], NOON) is None


def test_a_long_text_is_left_to_the_engine():
    assert quick_group_matches([[condition("a" * 1_000_001, "contains", "b")]], NOON) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7 days", (7, "day")),
        ("1 Month", (1, "month")),
        ("30minutes", (30, "minute")),
        (" 2 weeks ", (2, "week")),
    ],
)
def test_time_spans_are_read(text, expected):
    span = parse_span(text)

    assert span is not None
    assert (span.count, span.unit) == expected


@pytest.mark.parametrize("text", ["", "days", "-1 days", "1.5 days", "7 fortnights", "1234567 days"])
def test_other_texts_are_no_time_span(text):
    assert parse_span(text) is None


def test_a_moment_without_a_zone_is_in_that_of_this_computer():
    noon = datetime(2026, 3, 2, 12, 0)
    here = Moment(int(noon.timestamp() * 1000))

    assert here.local.replace(tzinfo=None) == noon
    assert here.place(noon).timestamp() == noon.timestamp()
    assert here.day_of(here.local).replace(tzinfo=None) == datetime(2026, 3, 2)
    assert Moment.in_zone(0, "No/Zone").time_zone is UTC
