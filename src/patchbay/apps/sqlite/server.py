"""SQLite as a database of the shared steps: each statement opens the file in a process of its own."""

from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from typing import Any

from patchbay.domain.base import Json
from patchbay.integration import Context
from patchbay.integration.sql import (
    MAX_ROWS,
    BoundValue,
    Catalogue,
    Dialect,
    Result,
    Session,
    SqlServer,
    Statement,
)
from patchbay.integration.values import as_bool, json_number, text_of

from . import database

_MAX_INTEGER = 1 << 63
_SECONDS = database.STATEMENT_SECONDS + 10

_catalogue = Catalogue(
    tables="SELECT name FROM sqlite_master "
    "WHERE type IN ('table', 'view') AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name",
    columns="SELECT name, type FROM pragma_table_info(?)",
    keys="SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk",
)


class SqliteSession:
    """Implements `Session` for the file of a step. `can_write`: whether its statements can change data."""

    def __init__(self, ctx: Context, can_write: bool) -> None:
        self._ctx = ctx
        self._can_write = can_write
        self._path = ctx.files.path(text_of(ctx.parameters, "path"))

    async def run(self, statement: Statement, max_rows: int = MAX_ROWS) -> Result:
        """Run one statement in its own transaction."""
        files, values = self._ctx.files, [*map(_wire_value, statement.values)]
        writes = statement.writes and self._can_write
        found: dict[str, Any] = await files.compute(
            database.run,
            self._path,
            statement.sql,
            values,
            writes,
            max_rows,
            seconds=_SECONDS,
            owner=self._ctx.flow.id,
        )
        rows = found.get("rows")
        return Result(
            found["count"],
            tuple(rows) if rows is not None else None,
            is_truncated=bool(found.get("isTruncated")),
            insert_id=found.get("insertId"),
        )


def _wire_value(value: BoundValue) -> Json:
    if isinstance(value, bytes):
        return ["bytes", b64encode(value).decode("ascii")]
    if isinstance(value, Decimal):
        number = json_number(value)
        is_long = isinstance(number, int) and not -_MAX_INTEGER <= number < _MAX_INTEGER
        return ["value", str(number) if is_long else number]
    return ["value", value]


@asynccontextmanager
async def _open(ctx: Context) -> AsyncIterator[Session]:
    yield SqliteSession(ctx, can_write=True)


@asynccontextmanager
async def _open_for_query(ctx: Context) -> AsyncIterator[Session]:
    yield SqliteSession(ctx, can_write=as_bool(ctx.parameters.get("changesData")))


server = SqlServer(
    dialect=Dialect(quote='"', placeholder=lambda number: "?", returning=True),
    catalogue=_catalogue,
    open=_open,
)
query_server = replace(server, open=_open_for_query)
