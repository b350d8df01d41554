"""Statements of the database apps: names are quoted, values are never part of the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchbay.domain.errors import ValidationFailed
from patchbay.integration.sql.statements import (
    Condition,
    Dialect,
    delete,
    insert,
    is_read_only_sql,
    select_newest,
    update,
)

NUMBERED = Dialect(quote='"', placeholder=lambda number: f"${number}", returning=True)
PLAIN = Dialect(quote="`", placeholder=lambda number: "?", returning=False)


def test_an_insert_gives_each_value_a_place():
    made = insert(NUMBERED, ("shop", "orders"), {"id": "1", "total": None}, return_rows=True)

    assert made.sql == 'INSERT INTO "shop"."orders" ("id", "total") VALUES ($1, $2) RETURNING *'
    assert list(made.values) == ["1", None]
    assert made.writes


def test_rows_are_not_asked_back_where_that_is_not_wanted_or_not_known():
    wanted = insert(PLAIN, ("orders",), {"id": "1"}, return_rows=True)
    unwanted = insert(NUMBERED, ("orders",), {"id": "1"}, return_rows=False)

    assert wanted.sql == "INSERT INTO `orders` (`id`) VALUES (?)"
    assert unwanted.sql == 'INSERT INTO "orders" ("id") VALUES ($1)'


def test_an_update_numbers_the_changes_before_the_conditions():
    conditions = [
        Condition("a", "=", ["1"]),
        Condition("b", "IN", ["2", "3"]),
        Condition("c", "BETWEEN", ["4", "5"]),
        Condition("d", "IS NULL", []),
        Condition("e", "NOT LIKE", ["6%"]),
    ]

    made = update(NUMBERED, ("t",), {"x": "9"}, conditions, return_rows=False)

    assert made.sql == (
        'UPDATE "t" SET "x" = $1 WHERE "a" = $2 AND "b" IN ($3, $4) AND "c" BETWEEN $5 AND $6 '
        'AND "d" IS NULL AND "e" NOT LIKE $7'
    )
    assert list(made.values) == ["9", "1", "2", "3", "4", "5", "6%"]


def test_a_delete_needs_a_condition():
    made = delete(PLAIN, ("t",), [Condition("a", ">", ["1"])], return_rows=True)

    assert made.sql == "DELETE FROM `t` WHERE `a` > ?"
    with pytest.raises(ValidationFailed, match="at least one condition"):
        delete(PLAIN, ("t",), [], return_rows=False)
    with pytest.raises(ValidationFailed, match="at least one condition"):
        update(PLAIN, ("t",), {"x": "1"}, [], return_rows=False)


def test_the_newest_rows_are_ordered_by_column_and_then_by_key():
    made = select_newest(NUMBERED, ("public", "t"), "at", ["at", "id"], 200, 400)

    assert made.sql == (
        'SELECT * FROM "public"."t" WHERE "at" IS NOT NULL ORDER BY "at" DESC, "id" DESC LIMIT 200 OFFSET 400'
    )
    assert not made.writes


@given(st.text(min_size=1).filter(lambda name: "\0" not in name))
def test_any_text_is_only_ever_a_name(name):
    for dialect in (NUMBERED, PLAIN):
        quoted = dialect.name(name)

        inner = quoted[1:-1]
        assert quoted[0] == quoted[-1] == dialect.quote
        assert dialect.quote not in inner.replace(dialect.quote * 2, "")
        assert inner.replace(dialect.quote * 2, dialect.quote) == name


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_what_cannot_be_a_name_is_refused(name):
    with pytest.raises(ValidationFailed, match="isn't a valid table or column name"):
        NUMBERED.name(name)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "  -- the newest\n/* of\nall */ select * from t",
        "(SELECT 1) UNION (SELECT 2)",
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "SHOW TABLES",
        "EXPLAIN SELECT 1",
        "VALUES (1)",
    ],
)
def test_a_statement_that_only_reads_is_known(sql):
    assert is_read_only_sql(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "INSERT INTO t VALUES (1)",
        "-- SELECT\nDELETE FROM t",
        "WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone",
        "SELECT * INTO copy FROM t",
        "SELECT nextval('numbers')",
        "EXPLAIN ANALYZE UPDATE t SET a = 1",
        "CALL tidy()",
        "{{step.x.sql}}",
        "selection",
    ],
)
def test_a_statement_that_may_write_is_not_taken_for_one_that_reads(sql):
    assert not is_read_only_sql(sql)
