"""Sessions of database apps that need no server: a table of orders that is read and never written."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, Mock, patch

from patchbay.domain.base import JsonObject
from patchbay.integration.sql import Result, Statement

ACCOUNT: dict[str, Any] = {
    "host": "127.0.0.1",
    "enableSsl": "false",
    "database": "shop",
    "user": "ada",
    "password": "secret-database",
}
ORDERS: list[JsonObject] = []
"""The rows of the table, newest first."""
_CATALOGUE: dict[str, list[JsonObject]] = {
    "information_schema.tables": [{"table_name": "orders"}],
    "column_key = 'PRI'": [{"column_name": "id"}],
    "information_schema.columns": [{"column_name": "id", "column_type": "int"}],
    "pg_stat_activity": [{"count": 3}],
}


class SampleSession:
    """A session that responds by what a statement is about."""

    def __init__(self, *_: object) -> None:
        self.statements: list[str] = []

    async def limit(self) -> None: ...

    async def run(self, statement: Statement, max_rows: int = 0) -> Result:
        """The rows of the statement."""
        rows = next((rows for part, rows in _CATALOGUE.items() if part in statement.sql), ORDERS)
        return Result(len(rows), tuple(rows))


@contextmanager
def sample_databases() -> Iterator[None]:
    """Let PostgreSQL and MySQL use such sessions while the block runs."""
    connection = SimpleNamespace(close=Mock(), ensure_closed=AsyncMock())
    with (
        patch("patchbay.apps.mysql.driver.connect", AsyncMock(return_value=connection)),
        patch("patchbay.apps.mysql.session.MySqlSession", SampleSession),
        patch("patchbay.apps.postgresql.driver.connect", AsyncMock(return_value=AsyncMock())),
        patch("patchbay.apps.postgresql.session.use_own_codecs", AsyncMock()),
        patch("patchbay.apps.postgresql.session.PostgresSession", SampleSession),
    ):
        ORDERS.clear()
        yield
