"""A connection to MySQL or MariaDB for one call of app code."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from decimal import Decimal
from typing import TYPE_CHECKING

from patchbay.integration import Context
from patchbay.integration.sql import (
    CONNECT_SECONDS,
    MAX_ROWS,
    STATEMENT_SECONDS,
    BoundValue,
    Result,
    RowCollector,
    Statement,
    parse_login,
)

from .errors import translate_errors
from .types import to_plain_value

if TYPE_CHECKING:
    from aiomysql import Connection

_FETCH_SIZE = 100
_GRACE_SECONDS = 2.0
"""Seconds to wait after the server should have stopped a statement itself."""


class MySqlSession:
    """Runs statements on one connection."""

    def __init__(self, connection: "Connection", ctx: Context, host: str) -> None:
        self._connection = connection
        self._ctx = ctx
        self._host = host

    async def run(self, statement: Statement, max_rows: int = MAX_ROWS) -> Result:
        with translate_errors(self._ctx, self._host, statement.sql):
            async with asyncio.timeout(STATEMENT_SECONDS + _GRACE_SECONDS):
                return await self._run(statement, max_rows)

    async def limit(self) -> None:
        """Make the server stop statements that take too long."""
        version = self._connection.get_server_info()
        seconds = int(STATEMENT_SECONDS)
        sql = (
            f"max_statement_time = {seconds}"
            if "MariaDB" in version
            else f"max_execution_time = {seconds * 1000}"
        )
        with translate_errors(self._ctx, self._host, ""):
            await self._connection.query(f"SET SESSION {sql}")

    async def _run(self, statement: Statement, max_rows: int) -> Result:
        """The server prepares the statement and inserts the values, which are never part of its text.

        Statement and values are sent as hexadecimal literals, which no content can end early.
        """
        from aiomysql import SSCursor

        names = [f"@patchbay_{number}" for number in range(1, len(statement.values) + 1)]
        value_literals = dict(zip(names, map(_to_literal, statement.values), strict=True))
        variables = {
            "@patchbay": _to_literal(statement.sql),
            **value_literals,
            "sql_select_limit": str(max_rows + 1),
        }
        await self._connection.query(
            "SET " + ", ".join(f"{name} = {value}" for name, value in variables.items())
        )
        await self._connection.query("PREPARE patchbay FROM @patchbay")
        async with self._connection.cursor(SSCursor) as cursor:
            await cursor.execute("EXECUTE patchbay" + (f" USING {', '.join(names)}" if names else ""))
            if not cursor.description:
                return Result(max(cursor.rowcount, 0), insert_id=cursor.lastrowid or None)
            collector = RowCollector([column[0] for column in cursor.description], max_rows)
            kinds = [column[1] for column in cursor.description]
            while rows := await cursor.fetchmany(_FETCH_SIZE):
                collector.add_rows(
                    [to_plain_value(*pair) for pair in zip(row, kinds, strict=True)] for row in rows
                )
        return collector.result(writes=statement.writes)


@asynccontextmanager
async def open_session(ctx: Context) -> AsyncIterator[MySqlSession]:
    """A connection with the credentials of `ctx`, closed at the end."""
    from aiomysql import MySQLError

    from .driver import connect  # takes 40 ms to load; apps are loaded at every start

    login = parse_login(ctx.auth.data)
    with translate_errors(ctx, login.address, "", seconds=CONNECT_SECONDS):
        connection = await connect(await login.resolve_addresses(ctx.address_policy))
    try:
        session = MySqlSession(connection, ctx, login.address)
        await session.limit()
        yield session
        with suppress(OSError, MySQLError):
            await connection.ensure_closed()
    finally:
        connection.close()


def _to_literal(value: BoundValue) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, Decimal):
        return format(value, "f")
    return f"X'{value.hex()}'" if isinstance(value, bytes) else f"_utf8mb4 X'{value.encode().hex()}'"
