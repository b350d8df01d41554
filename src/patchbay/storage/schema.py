"""Compare the schema a database file has with the one this program expects."""

import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from sqlalchemy import create_engine

from patchbay.storage.tables import metadata
from patchbay.storage.tally_triggers import TRIGGERS, VIEW

VERSION_TABLE = "alembic_version"


@dataclass(frozen=True)
class TableShape:
    """What matters of a table: not the order of its columns, which differs between new and upgraded files."""

    columns: Mapping[str, str]
    """By name: type, NOT NULL, default and place in the primary key, as text."""
    required: frozenset[str]
    """Columns that every new row has to give a value."""
    unique: frozenset[tuple[str, ...]]
    foreign_keys: frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Schema:
    """Tables by name, and the SQL of everything else by (kind, name)."""

    tables: Mapping[str, TableShape]
    others: Mapping[tuple[str, str], str]


@dataclass(frozen=True)
class Difference:
    """One thing that is not as expected. `breaks`: the program can't work with the file as it is."""

    text: str
    breaks: bool

    def __str__(self) -> str:
        return self.text


@cache
def expected_schema() -> Schema:
    """The schema of a file that this program creates."""
    with create_engine("sqlite://").connect() as connection:
        metadata.create_all(connection)
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        for statement in (VIEW, *TRIGGERS):
            driver.execute(statement)
        return read_schema(driver)


def read_schema(driver: sqlite3.Connection) -> Schema:
    """Read tables, indexes, triggers and views, without those of SQLite and the migration tool."""
    tables: dict[str, TableShape] = {}
    others: dict[tuple[str, str], str] = {}
    for kind, name, table, sql in driver.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"):
        if name.startswith("sqlite_") or table == VERSION_TABLE:
            continue
        if kind == "table":
            tables[name] = _table(driver, name)
        else:
            others[kind, name] = _normal(sql or "")
    return Schema(tables, others)


def schema_differences(driver: sqlite3.Connection) -> tuple[Difference, ...]:
    """Everything in which the file differs from what is expected; what breaks the program comes first."""
    found = [*_differences(expected_schema(), read_schema(driver))]
    return tuple(sorted(found, key=lambda difference: not difference.breaks))


def missing_indexes(driver: sqlite3.Connection) -> tuple[str, ...]:
    """Statements that create the expected indexes a file lacks."""
    expected, actual = expected_schema(), read_schema(driver)
    lacking = expected.others.keys() - actual.others.keys()
    return tuple(expected.others[key] for key in sorted(lacking) if key[0] == "index")


def _differences(expected: Schema, actual: Schema) -> Iterator[Difference]:
    for name, shape in expected.tables.items():
        if (other := actual.tables.get(name)) is None:
            yield Difference(f"table “{name}” is missing", breaks=True)
        else:
            yield from _table_differences(name, shape, other)
    for (kind, name), sql in expected.others.items():
        # Without an index everything still works, only slower.
        breaks = kind != "index"
        if (kind, name) not in actual.others:
            yield Difference(f"{kind} “{name}” is missing", breaks=breaks)
        elif actual.others[kind, name] != sql:
            yield Difference(f"{kind} “{name}” is not defined as expected", breaks=breaks)
    for name in actual.tables.keys() - expected.tables.keys():
        yield Difference(f"table “{name}” isn't one of Patchbay's", breaks=False)
    for kind, name in actual.others.keys() - expected.others.keys():
        # A trigger would change what our writes do.
        yield Difference(f"{kind} “{name}” isn't one of Patchbay's", breaks=kind == "trigger")


def _table_differences(table: str, expected: TableShape, actual: TableShape) -> Iterator[Difference]:
    for name, about in expected.columns.items():
        if name not in actual.columns:
            yield Difference(f"column “{table}.{name}” is missing", breaks=True)
        elif actual.columns[name] != about:
            wanted = f"is “{actual.columns[name]}” instead of “{about}”"
            yield Difference(f"column “{table}.{name}” {wanted}", breaks=True)
    for name in actual.columns.keys() - expected.columns.keys():
        yield Difference(f"column “{table}.{name}” isn't one of Patchbay's", breaks=name in actual.required)
    for columns in expected.unique - actual.unique:
        yield Difference(f"table “{table}” allows repeated values in {', '.join(columns)}", breaks=True)
    for columns in actual.unique - expected.unique:
        yield Difference(f"table “{table}” refuses repeated values in {', '.join(columns)}", breaks=True)
    for key in expected.foreign_keys - actual.foreign_keys:
        yield Difference(f"table “{table}” lacks the foreign key {' '.join(key)}", breaks=True)
    for key in actual.foreign_keys - expected.foreign_keys:
        yield Difference(f"table “{table}” has an unexpected foreign key {' '.join(key)}", breaks=True)


def _table(driver: sqlite3.Connection, name: str) -> TableShape:
    columns, required = {}, set()
    quoted = name.replace('"', '""')
    for _, column, kind, not_null, default, key in driver.execute(f'PRAGMA table_info("{quoted}")'):
        parts = (kind.upper(), "NOT NULL" if not_null else "", f"DEFAULT {default}" if default else "",
                 f"PRIMARY KEY {key}" if key else "")  # fmt: skip
        columns[column] = " ".join(part for part in parts if part)
        if not_null and default is None:
            required.add(column)
    keys = driver.execute(f'PRAGMA foreign_key_list("{quoted}")')
    return TableShape(
        columns,
        frozenset(required),
        frozenset(_unique_columns(driver, quoted)),
        frozenset((row[3], "→", f"{row[2]}.{row[4]}", "on delete", row[6]) for row in keys),
    )


def _unique_columns(driver: sqlite3.Connection, table: str) -> Iterator[tuple[str, ...]]:
    """Columns of the UNIQUE constraints; explicit indexes are compared by their SQL."""
    for _, index, unique, origin, *_ in driver.execute(f'PRAGMA index_list("{table}")').fetchall():
        if unique and origin == "u":
            yield tuple(row[2] for row in driver.execute(f'PRAGMA index_info("{index}")'))


def _normal(sql: str) -> str:
    """SQL without differences of writing: spaces, quotes around names, IF NOT EXISTS."""
    return re.sub(r"\s+", " ", sql.replace('"', "").replace("`", "")).strip()
