"""Values of databases in JSON, and what people enter as it is bound."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from patchbay.domain.errors import ValidationFailed
from patchbay.integration.sql import RowCollector
from patchbay.integration.sql.arguments import (
    parse_columns,
    parse_conditions,
    parse_session_settings,
    parse_table,
    parse_values,
)
from patchbay.integration.sql.values import parse_list, to_json_value


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (None, None),
        (True, True),
        (2**63, 2**63),
        (1.5, 1.5),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (Decimal("1E+3"), "1000"),
        (Decimal("0.10"), "0.10"),
        (date(2026, 3, 31), "2026-03-31"),
        (datetime(2026, 3, 31, 14, 30, tzinfo=UTC), "2026-03-31T14:30:00+00:00"),
        (time(1, 2, 3), "01:02:03"),
        (timedelta(days=1, hours=2, microseconds=5), "26:00:00.000005"),
        (timedelta(hours=-1), "-01:00:00"),
        (b"\x00\xff", "AP8="),
        (bytearray(b"a"), "YQ=="),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ((1, [Decimal("2")]), [1, ["2"]]),
        ({"a": {"b": date(2026, 1, 1)}}, {"a": {"b": "2026-01-01"}}),
    ],
)
def test_a_value_is_ready_for_json(value, wanted):
    assert to_json_value(value) == wanted


@pytest.mark.parametrize(
    ("entered", "wanted"),
    [
        (["a", 1], ["a", 1]),
        ('["a, b", 1]', ["a, b", 1]),
        ("1, 2,3", ["1", "2", "3"]),
        ("[not json", ["[not json"]),
        ("one", ["one"]),
        ("", []),
    ],
)
def test_several_values_are_read_from_a_list_or_from_text(entered, wanted):
    assert parse_list(entered) == wanted


def columns(*rows, **parameters):
    return parse_columns({"columnValueEntries": [*rows], **parameters})


def column(value, kind="", name="a"):
    return {"columnName": name, "value": value, "valueType": kind}


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        (column("007"), "007"),
        (column(True), True),
        (column({"b": 1}), '{"b":1}'),
        (column(None), None),
        (column(""), None),
        (column("1.50", "number"), Decimal("1.50")),
        (column("yes", "boolean"), True),
        (column("no", "boolean"), False),
        (column("", "boolean"), None),
        (column("AP\n8=", "base64"), b"\x00\xff"),
    ],
)
def test_what_was_entered_is_bound_as_its_type_says(row, wanted):
    assert columns(row) == {"a": wanted}


def test_an_empty_text_can_be_meant():
    assert columns(column(""), emptyValues="text") == {"a": ""}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "at least one column"),
        ([column("", name="")], "at least one column"),
        ([column("x", name="")], "“x” has no column"),
        ([column("1"), column("2")], "a appears more than once"),
        ([column("many", "number")], "“many” isn't a number"),
        ([column("?", "base64")], "“\\?” isn't valid base64"),
    ],
)
def test_invalid_columns_are_reported(rows, words):
    with pytest.raises(ValidationFailed, match=words):
        columns(*rows)


def conditions(*rows):
    return parse_conditions({"whereClauseEntries": [*rows]})


def test_conditions_take_as_many_values_as_their_operator():
    [equal, among, between, alone] = conditions(
        {"columnName": "a", "value": "1, 2"},
        {"columnName": "b", "operator": "not in", "value": "1, 2"},
        {"columnName": "c", "operator": "BETWEEN", "value": [1, 2]},
        {"columnName": "d", "operator": " is  null ", "value": "ignored"},
    )

    assert (equal.operator, list(equal.values)) == ("=", ["1, 2"])
    assert (among.operator, list(among.values)) == ("NOT IN", ["1", "2"])
    assert list(between.values) == ["1", "2"]
    assert (alone.operator, list(alone.values)) == ("IS NULL", [])


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"columnName": "", "value": "1"}, "has no column"),
        ({"columnName": "a", "operator": "OR", "value": "1"}, "“OR” isn't a valid comparison"),
        ({"columnName": "a", "operator": "= 1 OR 1 =", "value": "1"}, "isn't a valid comparison"),
        ({"columnName": "a", "operator": "IN", "value": ""}, "at least one value"),
        ({"columnName": "a", "operator": "BETWEEN", "value": "1"}, "two values"),
    ],
)
def test_an_invalid_condition_is_reported_and_never_left_out(row, words):
    with pytest.raises(ValidationFailed, match=words):
        conditions(row)


def test_only_fresh_rows_of_the_form_count_for_nothing():
    assert conditions({"columnName": " ", "operator": "=", "value": ""}, {}) == []
    assert parse_values({"values": [{"value": "a"}, {}]}) == ["a", None]
    assert parse_session_settings(
        {"params": [{"parameter": "", "value": "x"}, {"parameter": "a", "value": "1"}]}
    ) == {"a": "1"}


def test_a_table_stands_after_its_schema_where_there_is_one():
    assert parse_table({"table": " t "}) == ("t",)
    assert parse_table({"schema": "s", "table": "t"}) == ("s", "t")
    with pytest.raises(ValidationFailed, match="Choose a table"):
        parse_table({"schema": "s"})


def test_a_result_is_cut_by_its_size_as_well():
    collector = RowCollector(["a"])

    collector.add_rows([["x" * 5_000_000], ["x" * 5_000_000], ["y"]])
    read: Any = collector.result(writes=False)

    assert (read.count, len(read.rows), collector.count) == (1, 1, 3)
    assert "Only the first 1 rows" in read.item()["note"]
    assert collector.result(writes=True).count == 3
