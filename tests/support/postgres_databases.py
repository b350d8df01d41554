"""A PostgreSQL server for a test session, and an empty workspace database on it for each test."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import psycopg
import pytest
from tests.support.databases import PASSWORD, USER, Postgres, running, why_no_postgres

from patchbay.storage.postgresql.address import PostgresAddress
from patchbay.storage.tables import metadata

_TABLES = sorted(reversed(metadata.sorted_tables), key=lambda table: table.name.startswith("execution_tally"))
_EMPTY = "\n".join(
    (
        *(f'DELETE FROM "{table.name}";' for table in _TABLES),
        "DELETE FROM program; DELETE FROM limited_call;",
        "ALTER SEQUENCE audit_id_seq RESTART;",
    )
)
"""Those of the counters last: deleting executions changes them."""


class FastPostgres(Postgres):
    """Trades safety for speed: its data is gone after the tests anyway."""

    def _command(self, *, tls: bool) -> list[str]:
        settings = {
            "full_page_writes": "off",
            "autovacuum": "off",
            "shared_buffers": "64MB",
            "max_connections": "60",
            "wal_level": "minimal",
            "max_wal_senders": "0",
        }
        given = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return [*super()._command(tls=False), *given]

    def _furnish(self) -> None:
        super()._furnish()
        self.administer(f"ALTER ROLE {USER} CREATEDB")


class WorkspaceDatabases:
    """Databases with the schema. One that a test gives back is emptied, which is faster than a new one."""

    def __init__(self, server: Postgres) -> None:
        self.server = server
        self._numbers = itertools.count(1)
        self._admin = psycopg.connect(self._conninfo("postgres"), autocommit=True)
        self._clean: list[PostgresAddress] = []

    def close(self) -> None:
        self._admin.close()

    def connect_again(self) -> None:
        """Connect after a test restarted the server."""
        self._admin.close()
        self._admin = psycopg.connect(self._conninfo("postgres"), autocommit=True)

    def create_empty(self) -> PostgresAddress:
        """Create a database without the schema."""
        name = f"workspace_{next(self._numbers)}"
        self._admin.execute(f"CREATE DATABASE {name} TEMPLATE template0".encode())
        if self._admin.info.server_version < 150_000:  # there, all roles may create in “public”
            with psycopg.connect(self._conninfo(name), autocommit=True) as connection:
                connection.execute("CREATE SCHEMA AUTHORIZATION CURRENT_USER")
        return PostgresAddress("127.0.0.1", self.server.port, name, USER, password=PASSWORD)

    @contextmanager
    def borrow(self) -> Iterator[PostgresAddress]:
        """A database with the schema and no rows while the block runs."""
        address = self._clean.pop() if self._clean else self.create_empty()
        yield address
        self.end_connections(address)  # one that a test left open would hold the lock of the database
        with psycopg.connect(self._conninfo(address.database), autocommit=True) as connection:
            connection.execute(_EMPTY.encode())
        self._clean.append(address)

    def end_connections(self, address: PostgresAddress) -> None:
        """End all connections to a database, as a restart of the server does."""
        query = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s"
        self._admin.execute(query, (address.database,))

    def _conninfo(self, database: str) -> str:
        return psycopg.conninfo.make_conninfo(
            host="127.0.0.1", port=self.server.port, dbname=database, user=USER, password=PASSWORD
        )


@contextmanager
def workspace_databases() -> Iterator[WorkspaceDatabases]:
    """A server while the block runs."""
    with running(FastPostgres) as server:
        databases = WorkspaceDatabases(cast(Postgres, server))
        try:
            yield databases
        finally:
            databases.close()


def location_on(database: str, request: pytest.FixtureRequest) -> Iterator[Path | PostgresAddress]:
    """Where an empty workspace is, for fixtures: a file, or a database on the server of this session."""
    if database == "sqlite":
        yield request.getfixturevalue("tmp_path") / "patchbay.db"
        return
    if reason := why_no_postgres():
        pytest.skip(reason)
    with request.getfixturevalue("postgres_databases").borrow() as address:
        yield address
