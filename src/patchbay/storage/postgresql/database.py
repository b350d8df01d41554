"""Opens a PostgreSQL database: connects, and creates or upgrades the schema."""

import sys
from collections.abc import Callable
from functools import partial

from patchbay.domain.errors import NotSupported
from patchbay.storage.database import Database, DiskUse, OpenedDatabase
from patchbay.storage.driver import driver_of
from patchbay.storage.postgresql.address import PostgresAddress

try:
    import psycopg  # noqa: F401
except ImportError as error:
    raise NotSupported(
        "PostgreSQL can't be used: the package psycopg isn't installed.",
        todo=f'Install it for Patchbay\'s Python: {sys.executable} -m pip install "psycopg[binary]>=3.2.4"',
    ) from error

from sqlalchemy import Connection

from patchbay.storage.postgresql.connections import connect, engine_for
from patchbay.storage.postgresql.faults import translate_errors
from patchbay.storage.postgresql.peers import PostgresPeers
from patchbay.storage.postgresql.readers import PostgresReaders
from patchbay.storage.postgresql.schema import prepare_schema
from patchbay.storage.postgresql.writer import PostgresWriter

_NAMES = 0x5041544E  # "PATN"
_LOCK_TIMEOUTS = """
SELECT set_config('lock_timeout', '60s', false), set_config('statement_timeout', '65s', false)
"""
"""As long as a service may take to renew a token."""


def open_postgresql(address: PostgresAddress) -> OpenedDatabase:
    """Connect, share the lock of the database, and create or upgrade the schema. Blocks.

    Raises `StorageFault` if another program has the database for itself.
    """
    engine = engine_for(lambda: connect(address))
    with translate_errors(with_detail=True):
        connection = engine.connect()
        try:
            prepare_schema(connection)
        except BaseException:
            connection.close()
            raise
    return OpenedDatabase(
        str(address),
        PostgresWriter(engine, connection),
        PostgresReaders(engine),
        PostgresUpkeep(),
        lock_name=partial(lock_name, address),
        peers=PostgresPeers(address),
    )


def lock_name(address: PostgresAddress, name: str) -> Callable[[], None]:
    """Wait for a lock with this name, which ends with a connection of its own. Returns what closes it."""
    with translate_errors():
        connection = connect(address)
        try:
            connection.execute(_LOCK_TIMEOUTS)
            connection.execute(
                "SELECT pg_advisory_lock(%s, pg_catalog.hashtext(current_schema() || %s))", (_NAMES, name)
            )
        except BaseException:
            connection.close()
            raise
    return connection.close


class PostgresUpkeep:
    """The upkeep of a database on a server, which does most of it itself; see `Upkeep`."""

    def disk_use(self, tx: Connection) -> DiskUse:
        """How much the server stores for this database. What is free inside isn't known."""
        row = driver_of(tx).execute("SELECT pg_database_size(current_database())").fetchone()
        return DiskUse(int(row[0]), 0)

    def damage(self, tx: Connection) -> tuple[str, ...]:
        """The server has its own tools for that, such as pg_amcheck."""
        return ()

    def require_free_space(self) -> None:
        """Only the server knows its disk; a full one fails the next write."""

    async def after_deletion(self, db: Database) -> None:
        """Autovacuum makes the space of deleted rows usable again."""

    async def release_free_space(self, db: Database, max_free_share: float, pause: float) -> int:
        """The space is used again by new rows."""
        return 0
