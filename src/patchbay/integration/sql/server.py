"""The `SqlServer` interface of database apps, statement results, and the session size limit."""

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.fields import Argument
from patchbay.integration.context import Context
from patchbay.integration.sql.statements import Dialect, Statement
from patchbay.integration.sql.values import to_json_value

MAX_SESSION_BYTES = 64 * 1024 * 1024
"""Several times the size of a stored result (`MAX_SIZE`), since a server may send more than that."""
MESSAGE_OVERHEAD = 256
"""Bytes counted per message in addition to its length: the smallest ones take a multiple in memory."""


class TooMuchReceived(Exception):
    """The server sent or announced more data than the session limit."""


class ReceivedBytes:
    """Counts what the server sends in one session."""

    def __init__(self) -> None:
        self._total = 0

    def count(self, size: int) -> None:
        """Count a message as soon as its length is known. Raises `TooMuchReceived` beyond the limit."""
        self._total += size + MESSAGE_OVERHEAD
        if self._total > MAX_SESSION_BYTES:
            raise TooMuchReceived(f"more than {MAX_SESSION_BYTES} bytes")


MAX_ROWS = 1000
MAX_SIZE = 8 * 1024 * 1024
"""Characters of JSON that the rows of one result may take."""
CONNECT_SECONDS = 10.0
STATEMENT_SECONDS = 30.0


@dataclass(frozen=True)
class Result:
    """A statement's result. `rows` is None if it returns none; `count` is the number of affected rows."""

    count: int
    rows: tuple[JsonObject, ...] | None = None
    is_truncated: bool = False
    insert_id: int | None = None

    def item(self) -> JsonObject:
        """The output of a step."""
        item: JsonObject = {"rowCount": self.count}
        if self.rows is not None:
            item["rows"] = list(self.rows)
        if self.insert_id is not None:
            item["insertId"] = self.insert_id
        if self.is_truncated:
            given = len(self.rows or ())
            item["note"] = (
                f"Only the first {given} rows are returned: a step's limit is {MAX_ROWS} rows and "
                f"{MAX_SIZE // 1024**2} MB. Request less, for example with LIMIT."
            )
        return item


class RowCollector:
    """Collects a result's rows up to the step's limits, and counts all of them."""

    def __init__(self, names: Sequence[str], max_rows: int = MAX_ROWS) -> None:
        # Column names as keys: a second `id` becomes `id_2`.
        seen: dict[str, int] = {}
        keys: list[str] = []
        for name in names:
            seen[name] = seen.get(name, 0) + 1
            key = name if seen[name] == 1 else f"{name}_{seen[name]}"
            keys.append(key if key not in keys else f"{key}_{len(keys)}")
        self._names = keys

        self._max_rows = max_rows
        self._rows: list[JsonObject] = []
        self._size = 0
        self.count = 0
        self.is_truncated = False

    def add_rows(self, rows: Iterable[Sequence[object]]) -> None:
        """Add rows until the limit on their size is reached; the others are only counted."""
        for row in rows:
            self.count += 1
            if self.is_truncated:
                continue
            made = {name: to_json_value(value) for name, value in zip(self._names, row, strict=True)}
            self._size += len(json.dumps(made))
            if len(self._rows) >= self._max_rows or self._size > MAX_SIZE:
                self.is_truncated = True
            else:
                self._rows.append(made)

    def result(self, *, writes: bool) -> Result:
        """The result. For writing statements all rows are counted, for queries the collected ones."""
        count = self.count if writes else len(self._rows)
        return Result(count, tuple(self._rows), is_truncated=self.is_truncated)


class Session(Protocol):
    """An open connection to a database. Raises `ThirdPartyError`, `Unreachable` and `TimedOut`."""

    async def run(self, statement: Statement, max_rows: int = MAX_ROWS) -> Result:
        """Run one statement in its own transaction."""
        ...


@dataclass(frozen=True)
class Catalogue:
    """Queries for schemas, tables, and columns. Their parameters are schema (if supported) and table."""

    tables: str
    columns: str
    """Name and type of each column, in order."""
    keys: str
    """Names of the columns of the primary key."""
    schemas: str = ""


@dataclass(frozen=True)
class SqlServer:
    """A kind of database server: its sessions, SQL dialect, and catalogue queries."""

    dialect: Dialect
    catalogue: Catalogue
    open: Callable[[Context], AbstractAsyncContextManager[Session]]
    default_schema: str = ""
    """The default schema; empty if tables need none."""
    extra_arguments: tuple[Argument, ...] = ()
    """Further inputs of every action."""

    @property
    def has_schemas(self) -> bool:
        """Whether tables are in schemas."""
        return bool(self.default_schema)

    async def names(self, ctx: Context, sql: str, values: Sequence[str] = ()) -> list[list[Json]]:
        """The rows of a catalogue query, as lists."""
        async with self.open(ctx) as session:
            found = await session.run(Statement(sql, tuple(values)), max_rows=10 * MAX_ROWS)
        return [list(row.values()) for row in found.rows or ()]
