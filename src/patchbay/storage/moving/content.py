"""What a move copies: the tables in order, how their rows are read, and what each database stores."""

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from sqlalchemy import Boolean, Column, Integer, LargeBinary, Table

from patchbay.domain.trigger_sources import MAX_ID_BYTES, shorten_id
from patchbay.storage.commit_counter import IDENTITY_KEY, NUMBER_KEY
from patchbay.storage.driver import Twin
from patchbay.storage.tables import execution, execution_step, execution_tally_fresh, meta, metadata

Row: TypeAlias = tuple[Any, ...]
Kind = Literal["text", "bigint", "boolean", "bytea"]
"""The type of a column; the values are the names of PostgreSQL."""

MOVED_FROM_KEY = "moved_from"
"""Key in `meta`: where the workspace was moved from."""
LOCAL_KEYS = (NUMBER_KEY, IDENTITY_KEY, MOVED_FROM_KEY)
"""Keys in `meta` that describe the database rather than the workspace. They aren't moved."""

_DIGEST_BYTES = 16
_SOURCE_PREFIX = re.compile(r"(?:source-\d+/)?")
_INDEXED_ID = "internal_id"
"""The column, in two tables, with IDs that services choose and an index contains."""
_COUNTER_KEY = ("hour", "flow_id", "status", "test_run")


@dataclass(frozen=True)
class MovedTable:
    """A table, and how its rows are read in an order that can be continued."""

    name: str
    columns: tuple[str, ...]
    kinds: tuple[Kind, ...]
    key: Twin[tuple[str, ...]]
    """Columns that identify a row, in the order in which rows are read."""
    rows: str
    """What stands behind FROM."""

    def select(self, columns: Iterable[str]) -> str:
        """A query for these columns of all rows."""
        return f"SELECT {', '.join(map(quote, columns))} FROM {self.rows}"

    def select_by_key(self, key: Sequence[str], *, continued: bool) -> str:
        """A query for the key and all columns of the rows, in the order of the key.

        `continued`: of the rows behind a key, whose values are its parameters.
        """
        order = ", ".join(map(quote, key))
        behind = f" WHERE ({order}) > ({', '.join('?' * len(key))})" if continued else ""
        return f"{self.select((*key, *self.columns))}{behind} ORDER BY {order}"


def quote(name: str) -> str:
    """A name in SQL; some of them are also keywords."""
    return f'"{name}"'


def kind_of(column: Column[Any]) -> Kind:
    """The type of a column."""
    if isinstance(column.type, Boolean):
        return "boolean"
    if isinstance(column.type, LargeBinary):
        return "bytea"
    return "bigint" if isinstance(column.type, Integer) else "text"


def _moved_table(table: Table) -> MovedTable:
    key = tuple(column.name for column in table.primary_key.columns)
    keys = Twin(sqlite=key, postgresql=key)
    rows = quote(table.name)
    if table is execution:
        newest = ("created_at", "id")  # rows that were created together are read together later
        keys = Twin(sqlite=newest, postgresql=newest)
    elif table is execution_step:
        keys = Twin(sqlite=("rowid",), postgresql=key)
    elif table is execution_tally_fresh:
        # PostgreSQL has a row per change.
        keys = Twin(sqlite=_COUNTER_KEY, postgresql=_COUNTER_KEY)
        sums = f"SELECT {', '.join(_COUNTER_KEY)}, CAST(sum(runs) AS BIGINT) AS runs FROM {rows}"
        rows = f"({sums} GROUP BY {', '.join(_COUNTER_KEY)}) AS counted"
    elif table is meta:
        local = ", ".join(f"'{name}'" for name in LOCAL_KEYS)
        rows = f"(SELECT key, value FROM meta WHERE key NOT IN ({local})) AS kept"
    columns = tuple(table.columns)
    return MovedTable(table.name, tuple(c.name for c in columns), tuple(map(kind_of, columns)), keys, rows)


MOVED_TABLES = tuple(map(_moved_table, metadata.sorted_tables))
"""All tables, those that others refer to first."""


@dataclass
class Differences:
    """How many values the target can't store as they are."""

    nul_characters: int = 0
    """Texts with NUL characters, which are stored as “�”."""
    long_ids: int = 0
    """IDs of items that are stored as their hash."""

    def __bool__(self) -> bool:
        return bool(self.nul_characters or self.long_ids)


RowConverter: TypeAlias = Callable[[Row], Row]


def converter_to_postgresql(table: MovedTable, found: Differences) -> RowConverter:
    """What turns rows into those that PostgreSQL stores, and counts what it can't store in `found`."""
    booleans = [place for place, kind in enumerate(table.kinds) if kind == "boolean"]
    texts = [place for place, kind in enumerate(table.kinds) if kind == "text"]
    ids = [place for place, name in enumerate(table.columns) if name == _INDEXED_ID]

    def convert(row: Row) -> Row:
        values = list(row)
        for place in booleans:
            if values[place] is not None:
                values[place] = bool(values[place])
        for place in texts:
            if values[place] is not None and "\0" in values[place]:
                values[place] = values[place].replace("\0", "\ufffd")
                found.nul_characters += 1
        for place in ids:
            if values[place] is not None and len(values[place]) * 4 > MAX_ID_BYTES:
                values[place] = _shorten(values[place], found)
        return tuple(values)

    return convert


def _shorten(internal_id: str, found: Differences) -> str:
    prefix = _SOURCE_PREFIX.match(internal_id)
    assert prefix is not None
    kept = prefix[0] + shorten_id(internal_id[prefix.end() :].encode())
    found.long_ids += kept != internal_id
    return kept


def converter_to_sqlite(table: MovedTable, found: Differences) -> RowConverter:
    """What turns rows into those that SQLite stores, which can store everything."""
    del table, found
    return lambda row: tuple(int(value) if isinstance(value, bool) else value for value in row)


@dataclass
class Checksum:
    """Number of rows, and the sum of their hashes, which doesn't depend on their order."""

    rows: int = 0
    total: int = field(default=0)

    def add(self, row: Row) -> None:
        """Count a row. True counts as 1, since SQLite doesn't distinguish them."""
        values = tuple(int(value) if isinstance(value, bool) else value for value in row)
        digest = hashlib.blake2b(repr(values).encode(), digest_size=_DIGEST_BYTES).digest()
        self.rows += 1
        self.total = (self.total + int.from_bytes(digest)) % (1 << 8 * _DIGEST_BYTES)

    def __str__(self) -> str:
        return f"{self.total:0{2 * _DIGEST_BYTES}x}"
