"""A connection to PostgreSQL for one call of app code."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from patchbay.integration import Context
from patchbay.integration.sql import (
    CONNECT_SECONDS,
    MAX_ROWS,
    STATEMENT_SECONDS,
    BoundValue,
    Login,
    Result,
    RowCollector,
    Session,
    Statement,
    parse_login,
)
from patchbay.integration.sql.arguments import parse_session_settings
from patchbay.integration.values import parameter_error

from .errors import translate_errors
from .types import array_text_for, cast_to, to_plain_value, use_own_codecs

if TYPE_CHECKING:
    from asyncpg import Connection
    from asyncpg.prepared_stmt import PreparedStatement

_FETCH_SIZE = 100
_TEXTS = ("text", "varchar", "bpchar", "name")


class PostgresSession:
    """Runs statements on one connection."""

    def __init__(self, connection: "Connection[Any]", ctx: Context, login: Login) -> None:
        self._connection = connection
        self._ctx = ctx
        self._login = login

    async def run(self, statement: Statement, max_rows: int = MAX_ROWS) -> Result:
        with translate_errors(self._ctx, self._login, statement.sql):
            async with asyncio.timeout(STATEMENT_SECONDS):
                return await self._run(statement, max_rows)

    async def _run(self, statement: Statement, max_rows: int) -> Result:
        if statement.sql.lstrip()[:4].lower() == "copy":
            raise parameter_error("queryStatement", "A step can't transfer files with COPY.")
        prepared = await self._connection.prepare(statement.sql)
        values = await self._bind_values(prepared, statement.values)
        columns = prepared.get_attributes()
        if not columns:
            await prepared.fetch(*values)
            last_word = (prepared.get_statusmsg() or "").rsplit(" ", 1)[-1]  # from “UPDATE 3” or “INSERT 0 1”
            return Result(int(last_word) if last_word.isdecimal() else 0)
        collector = RowCollector([column.name for column in columns], max_rows)
        async with self._connection.transaction():
            cursor = await prepared.cursor(*values)
            while rows := await cursor.fetch(_FETCH_SIZE):
                collector.add_rows([to_plain_value(value) for value in row.values()] for row in rows)
                if collector.is_truncated and not statement.writes:
                    break
        return collector.result(writes=statement.writes)

    async def _bind_values(
        self, prepared: "PreparedStatement[Any]", values: Sequence[BoundValue]
    ) -> Sequence[object]:
        """The values as text, which the server itself converts to the types of the placeholders."""
        types = prepared.get_parameters()
        if len(types) != len(values):
            raise parameter_error(
                "values",
                f"The number of values ({len(values)}) doesn't match the number of placeholders "
                f"({len(types)}).",
            )
        texts = [array_text_for(kind, _to_text(value)) for kind, value in zip(types, values, strict=True)]
        if not types or all(kind.name in _TEXTS for kind in types):
            return texts
        casts = [cast_to(kind, number) for number, kind in enumerate(types, 1)]
        read = await self._connection.fetchrow(f"SELECT {', '.join(casts)}", *texts)
        return tuple(read.values()) if read is not None else ()


@asynccontextmanager
async def open_session(ctx: Context) -> AsyncIterator[Session]:
    """A connection with the credentials of `ctx`, closed at the end."""
    if ctx.offline is not None:
        async with ctx.offline.open_database(parse_login(ctx.auth.data)) as simulated:
            yield simulated
        return
    # These take 60 ms to load, and apps are loaded at every start.
    from asyncpg import InterfaceError, PostgresError

    from .driver import connect

    login = parse_login(ctx.auth.data)
    with translate_errors(ctx, login, "", seconds=CONNECT_SECONDS):
        connection = await connect(await login.resolve_addresses(ctx.address_policy))
    try:
        session = PostgresSession(connection, ctx, login)
        with translate_errors(ctx, login, ""):
            await use_own_codecs(connection)
        for name, value in parse_session_settings(ctx.parameters).items():
            await session.run(Statement("SELECT set_config($1, $2, false)", (name, value)))
        yield session
    finally:
        with suppress(OSError, TimeoutError, PostgresError, InterfaceError):
            await connection.close(timeout=5)


def _to_text(value: BoundValue) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return format(value, "f") if isinstance(value, Decimal) else f"\\x{value.hex()}"
