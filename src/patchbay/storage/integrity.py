"""Checks whether a database file is intact and has the expected schema."""

import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sqlalchemy import Connection, create_engine

from patchbay.storage.commit_counter import LostCommits, find_lost_commits, read_commit_record
from patchbay.storage.counters import CREATE_TRIGGERS, CREATE_VIEW
from patchbay.storage.sqlite import ReaderPool, sqlite_of, translate_sqlite_errors
from patchbay.storage.tables import metadata

VERSION_TABLE = "alembic_version"


@dataclass(frozen=True)
class TableShape:
    """The definition of a table, without the order of its columns, which upgrades can change."""

    columns: Mapping[str, str]
    """By name: type, NOT NULL, default, and position in the primary key, as text."""
    required: frozenset[str]
    """Columns for which every new row needs a value."""
    unique: frozenset[tuple[str, ...]]
    foreign_keys: frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Schema:
    """Tables by name, and the SQL of indexes, triggers, and views by (kind, name)."""

    tables: Mapping[str, TableShape]
    other_objects: Mapping[tuple[str, str], str]


@dataclass(frozen=True)
class SchemaDifference:
    """A difference from the expected schema. `is_breaking`: Patchbay can't work with the file."""

    text: str
    is_breaking: bool

    def __str__(self) -> str:
        return self.text


@cache
def expected_schema() -> Schema:
    """The schema of a file created by this version of Patchbay."""
    with create_engine("sqlite://").connect() as connection:
        metadata.create_all(connection)
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        for statement in (CREATE_VIEW, *CREATE_TRIGGERS):
            driver.execute(statement)
        return read_schema(driver)


def read_schema(driver: sqlite3.Connection) -> Schema:
    """Read tables, indexes, triggers, and views, without those of SQLite and Alembic."""
    tables: dict[str, TableShape] = {}
    other_objects: dict[tuple[str, str], str] = {}
    for kind, name, table, sql in driver.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"):
        if name.startswith("sqlite_") or table == VERSION_TABLE:
            continue
        if kind == "table":
            tables[name] = _read_table_shape(driver, name)
        else:
            other_objects[kind, name] = _normalize_sql(sql or "")
    return Schema(tables, other_objects)


def schema_differences(driver: sqlite3.Connection) -> tuple[SchemaDifference, ...]:
    """All differences from the expected schema, breaking ones first."""
    found = [*_compare_schemas(expected_schema(), read_schema(driver))]
    return tuple(sorted(found, key=lambda difference: not difference.is_breaking))


def missing_indexes(driver: sqlite3.Connection) -> tuple[str, ...]:
    """Statements that create the indexes missing in a file."""
    expected, actual = expected_schema(), read_schema(driver)
    missing = expected.other_objects.keys() - actual.other_objects.keys()
    return tuple(expected.other_objects[key] for key in sorted(missing) if key[0] == "index")


def _compare_schemas(expected: Schema, actual: Schema) -> Iterator[SchemaDifference]:
    for name, shape in expected.tables.items():
        if (other := actual.tables.get(name)) is None:
            yield SchemaDifference(f"table “{name}” is missing", is_breaking=True)
        else:
            yield from _compare_tables(name, shape, other)
    for (kind, name), sql in expected.other_objects.items():
        # Without an index, everything works, only slower.
        is_breaking = kind != "index"
        if (kind, name) not in actual.other_objects:
            yield SchemaDifference(f"{kind} “{name}” is missing", is_breaking=is_breaking)
        elif actual.other_objects[kind, name] != sql:
            yield SchemaDifference(f"{kind} “{name}” is not defined as expected", is_breaking=is_breaking)
    for name in actual.tables.keys() - expected.tables.keys():
        yield SchemaDifference(f"table “{name}” isn't one of Patchbay's", is_breaking=False)
    for kind, name in actual.other_objects.keys() - expected.other_objects.keys():
        # An unknown trigger could change what Patchbay writes.
        yield SchemaDifference(f"{kind} “{name}” isn't one of Patchbay's", is_breaking=kind == "trigger")


def _compare_tables(table: str, expected: TableShape, actual: TableShape) -> Iterator[SchemaDifference]:
    for name, column_definition in expected.columns.items():
        if name not in actual.columns:
            yield SchemaDifference(f"column “{table}.{name}” is missing", is_breaking=True)
        elif actual.columns[name] != column_definition:
            wanted = f"is “{actual.columns[name]}” instead of “{column_definition}”"
            yield SchemaDifference(f"column “{table}.{name}” {wanted}", is_breaking=True)
    for name in actual.columns.keys() - expected.columns.keys():
        yield SchemaDifference(
            f"column “{table}.{name}” isn't one of Patchbay's", is_breaking=name in actual.required
        )
    for columns in expected.unique - actual.unique:
        yield SchemaDifference(
            f"table “{table}” allows repeated values in {', '.join(columns)}", is_breaking=True
        )
    for columns in actual.unique - expected.unique:
        yield SchemaDifference(
            f"table “{table}” doesn't allow repeated values in {', '.join(columns)}", is_breaking=True
        )
    for key in expected.foreign_keys - actual.foreign_keys:
        yield SchemaDifference(
            f"table “{table}” is missing the foreign key {' '.join(key)}", is_breaking=True
        )
    for key in actual.foreign_keys - expected.foreign_keys:
        yield SchemaDifference(
            f"table “{table}” has an unexpected foreign key {' '.join(key)}", is_breaking=True
        )


def _read_table_shape(driver: sqlite3.Connection, name: str) -> TableShape:
    columns, required = {}, set()
    quoted = name.replace('"', '""')
    for _, column, kind, not_null, default, key in driver.execute(f'PRAGMA table_info("{quoted}")'):
        parts = (
            kind.upper(),
            "NOT NULL" if not_null else "",
            f"DEFAULT {default}" if default else "",
            f"PRIMARY KEY {key}" if key else "",
        )
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
    """Columns of UNIQUE constraints. Explicit indexes aren't included, since their SQL is compared."""
    for _, index, unique, origin, *_ in driver.execute(f'PRAGMA index_list("{table}")').fetchall():
        if unique and origin == "u":
            yield tuple(row[2] for row in driver.execute(f'PRAGMA index_info("{index}")'))


def _normalize_sql(sql: str) -> str:
    """SQL without differences in spaces and quotes around names."""
    return re.sub(r"\s+", " ", sql.replace('"', "").replace("`", "")).strip()


@dataclass(frozen=True)
class FileReport:
    """Result of an inspection; an intact file has neither damage nor schema differences."""

    damage: tuple[str, ...]
    differences: tuple[SchemaDifference, ...]
    lost_commits: LostCommits | None = None


def damage(connection: Connection) -> tuple[str, ...]:
    """Damage found by SQLite's integrity and foreign key checks; empty if the file is intact."""
    found = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check")]
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    found += [f"a row of {row[0]} refers to a missing row of {row[2]}" for row in broken]
    return tuple(line for line in found if line != "ok")


def inspect_file(path: Path) -> FileReport:
    """Inspect a file that another program may have open. Raises `StorageFault` if it can't be read."""
    # Read before the database: a reader sees the state of its first read, and a commit in between would
    # look like a loss.
    recorded = read_commit_record(path)

    def inspect(connection: Connection) -> FileReport:
        driver = sqlite_of(connection)
        differences = schema_differences(driver)
        complete = not any(difference.is_breaking for difference in differences)
        return FileReport(
            damage(connection), differences, find_lost_commits(driver, recorded) if complete else None
        )

    with translate_sqlite_errors():
        readers = ReaderPool(path)
        try:
            return readers.run(inspect)
        finally:
            readers.close()
