"""Connections to PostgreSQL, and raw statements on them.

psycopg in threads, not an asynchronous driver: `Database` passes an open transaction to plain functions,
which read a row, decide, and write; the same functions run on SQLite.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, LiteralString, NamedTuple

import psycopg
from psycopg.adapt import Loader
from psycopg.types.string import StrDumper, StrDumperUnknown
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import NullPool

from patchbay.storage.driver import DRIVER_KEY, Parameters
from patchbay.storage.postgresql.address import PostgresAddress

CONNECT_SECONDS = 10
_PREPARED_STATEMENTS = 500
_SESSION_SETTINGS = """
SELECT set_config('search_path', pg_catalog.quote_ident(current_schema()::text) || ', pg_temp', false),
       set_config('statement_timeout', '60s', false),
       set_config('lock_timeout', '10s', false),
       set_config('idle_in_transaction_session_timeout', '20s', false),
       set_config('jit', 'off', false),
       set_config('default_transaction_isolation', 'read committed', false),
       set_config('tcp_keepalives_idle', '30', false),
       set_config('tcp_keepalives_interval', '10', false),
       set_config('tcp_keepalives_count', '3', false),
       set_config('synchronous_commit', CASE current_setting('synchronous_commit')
                  WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false)
"""
"""Names are looked up in our schema and in PostgreSQL's own, since others may add functions to further ones.
Compiling a statement (`jit`) takes longer than running any of ours. With keepalives, the server notices a
client that is gone. One that freezes within a transaction loses its locks before others continue its runs.
Claims expect to see what others have committed since their transaction began (`read committed`).
Commits that don't wait for the disk would lose accepted events; other values are the operator's choice."""
READ_TIMEOUT = "SELECT set_config('statement_timeout', '30s', false)"
"""Run once on connections that only read."""

_PLACEHOLDER = re.compile(r"\?|(?<![:\w]):([a-z]\w*)")


class _Dialect(NamedTuple):
    name: str


class PostgresDriver:
    """Runs raw statements on a connection; see `driver.Driver`."""

    dialect = _Dialect("postgresql")

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        self.total_changes = 0

    def execute(self, statement: str, parameters: Parameters = (), /) -> psycopg.Cursor[Any]:
        """Run one statement."""
        cursor = self.connection.cursor()
        cursor.execute(translate(statement), parameters)
        self.count_changes(cursor)
        return cursor

    def executemany(self, statement: str, parameters: Iterable[Parameters], /) -> psycopg.Cursor[Any]:
        """Run a statement with each of these values."""
        cursor = self.connection.cursor()
        cursor.executemany(translate(statement), parameters)
        self.count_changes(cursor)
        return cursor

    def cursor(self) -> "PostgresDriver":
        """SQLite's cursors save memory; here one is needed per result."""
        return self

    def count_changes(self, cursor: psycopg.Cursor[Any]) -> None:
        """Add the rows that a statement changed."""
        message = cursor.statusmessage or ""
        if not message.startswith("SELECT") and cursor.rowcount > 0:
            self.total_changes += cursor.rowcount


@lru_cache(maxsize=4096)
def translate(statement: str) -> LiteralString:
    """A statement with the placeholders of psycopg instead of SQLite's."""
    return _PLACEHOLDER.sub(
        lambda found: f"%({found[1]})s" if found[1] else "%s", statement.replace("%", "%%")
    )


def _without_nul(text: str) -> str:
    """PostgreSQL stores all characters but this one."""
    return text.replace("\0", "\ufffd") if "\0" in text else text


class _TextDumper(StrDumper):
    def dump(self, obj: str) -> Any:
        return super().dump(_without_nul(obj))


class _UnknownTextDumper(StrDumperUnknown):
    def dump(self, obj: str) -> Any:
        return super().dump(_without_nul(obj))


class _WholeNumberLoader(Loader):
    """Sums of 64-bit integers have the type `numeric`."""

    def load(self, data: Any) -> int:
        return int(bytes(data))


def connect(address: PostgresAddress) -> psycopg.Connection[Any]:
    """Connect in autocommit mode: BEGIN and COMMIT are sent by the writer and the readers."""
    defaults: dict[str, Any] = {
        "connect_timeout": CONNECT_SECONDS,
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 60_000,
        "application_name": "patchbay",
        "client_encoding": "utf8",
    }
    connection = psycopg.connect(
        autocommit=True, prepare_threshold=5, **{**defaults, **address.connect_arguments()}
    )
    try:
        connection.prepared_max = _PREPARED_STATEMENTS
        adapters = connection.adapters
        adapters.register_dumper(str, _TextDumper)
        adapters.register_dumper(str, _UnknownTextDumper)
        adapters.register_loader("numeric", _WholeNumberLoader)
        connection.execute(_SESSION_SETTINGS)
    except BaseException:
        connection.close()
        raise
    return connection


def engine_for(connect: Callable[[], psycopg.Connection[Any]]) -> Engine:
    """An engine without a pool. `hide_parameters` keeps values out of its errors, which are logged."""
    engine = create_engine(
        "postgresql+psycopg://",
        creator=connect,
        poolclass=NullPool,
        hide_parameters=True,
        use_native_hstore=False,
    )
    event.listen(engine, "connect", _remember_driver)
    event.listen(engine, "after_cursor_execute", _count_changes)
    return engine


def postgres_of(connection: Connection) -> PostgresDriver:
    """PostgreSQL's driver behind SQLAlchemy's connection."""
    driver = connection.info[DRIVER_KEY]
    assert isinstance(driver, PostgresDriver)
    return driver


def _remember_driver(connection: psycopg.Connection[Any], record: Any) -> None:
    record.info[DRIVER_KEY] = PostgresDriver(connection)


def _count_changes(connection: Connection, cursor: psycopg.Cursor[Any], *_: object) -> None:
    driver: PostgresDriver | None = connection.info.get(DRIVER_KEY)
    if driver is not None:
        driver.count_changes(cursor)


def is_usable(connection: psycopg.Connection[Any]) -> bool:
    """Whether the connection is open, as far as is known without asking the server."""
    return not (connection.closed or connection.broken)
