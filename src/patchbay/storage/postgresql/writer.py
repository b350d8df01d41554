"""The writer of a PostgreSQL database: group commit, and a new connection when the last one was lost.

The connection holds an advisory lock, which all programs that use the database share. A program that needs
the database for itself, such as to upgrade the schema, locks it exclusively.
"""

import contextlib
import logging
import time
from typing import Any

import psycopg
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from patchbay.domain.errors import StorageFault
from patchbay.storage.postgresql.connections import PostgresDriver, is_usable, postgres_of
from patchbay.storage.postgresql.faults import (
    DatabaseInUse,
    database_in_use,
    is_connection_lost,
    is_deadlock,
    is_persistent,
    storage_fault,
)
from patchbay.storage.writer import Job, Writer

_log = logging.getLogger(__name__)

_PROGRAM_LOCK = 0x50415445  # "PATE"
_SHARED_LOCK = "SELECT pg_try_advisory_lock_shared(?, pg_catalog.hashtext(current_schema()::text))"
_LOCK_ALONE = "SELECT pg_try_advisory_lock(?, pg_catalog.hashtext(current_schema()::text))"
_LOCK_UNTIL_COMMIT = "SELECT pg_try_advisory_xact_lock(?, pg_catalog.hashtext(current_schema()::text))"
_MAX_ATTEMPTS = 3
"""How often a write is repeated after deadlocks."""
_NUMBER_QUERY = "SELECT pg_current_xact_id()::text"
_STATUS_QUERY = "SELECT pg_xact_status(?::xid8)"
_COMMIT_SECONDS, _STATUS_PAUSE_SECONDS = 30.0, 0.1
"""How long a commit that is in progress is waited for, and how often its state is read."""


class ConnectionLost(Exception):
    """The connection ended before the commit, so nothing of the transaction was stored."""


def connect_writer(engine: Engine) -> Connection:
    """Connect, and share the lock. Raises `DatabaseInUse` if a program has the database for itself."""
    connection = engine.connect()
    try:
        share_lock(postgres_of(connection))
    except BaseException:
        connection.close()
        raise
    return connection


def share_lock(driver: PostgresDriver) -> None:
    """Share the lock of the database until the connection is closed. Raises `DatabaseInUse`."""
    row = driver.execute(_SHARED_LOCK, (_PROGRAM_LOCK,)).fetchone()
    if row is None or not row[0]:
        raise database_in_use()


def connect_alone(engine: Engine) -> Connection:
    """Connect, and lock the database for this connection alone. Raises `DatabaseInUse`."""
    connection = engine.connect()
    try:
        row = postgres_of(connection).execute(_LOCK_ALONE, (_PROGRAM_LOCK,)).fetchone()
        if row is None or not row[0]:
            raise DatabaseInUse(
                "Servers or workers of Patchbay use this database.",
                meaning="Nothing was moved.",
                todo="Stop all of them, and run the command again.",
            )
    except BaseException:
        connection.close()
        raise
    return connection


def lock_until_commit(driver: PostgresDriver) -> bool:
    """Lock the database for this transaction alone; False while other programs use it."""
    row = driver.execute(_LOCK_UNTIL_COMMIT, (_PROGRAM_LOCK,)).fetchone()
    return row is not None and bool(row[0])


class PostgresWriter(Writer):
    """Runs queued writes on one connection. Writes that met a deadlock with another program are repeated."""

    def __init__(self, engine: Engine, connection: Connection) -> None:
        super().__init__()
        self._engine = engine
        self._connection: Connection | None = connection
        self._driver = postgres_of(connection)
        self._thread.start()

    def is_persistent(self, fault: StorageFault) -> bool:
        return is_persistent(fault)

    def _close_connection(self) -> None:
        self._disconnect()

    def _commit(self, group: list[Job]) -> None:
        for _ in range(_MAX_ATTEMPTS):
            if not (group := self._commit_once(group)):
                return
            for job in group:
                job.error = None
        self._commit_once(group)

    def _commit_once(self, group: list[Job]) -> list[Job]:
        """Run jobs in one transaction. Returns those to repeat, because they met a deadlock."""
        postponed: list[Job] = []
        try:
            connection, number = self._begin()
        except (psycopg.Error, DBAPIError, StorageFault) as error:
            _fail(group, error)
            return []
        try:
            is_plain = len(group) > 1 and all(job.on_driver for job in group)
            if not (is_plain and self._run_together(group)):
                if is_plain:
                    number = self._begin_transaction()
                postponed = self._run_each(connection, group)
        except (ConnectionLost, psycopg.Error) as lost:
            self._disconnect()
            _fail(group, lost.__cause__ or lost)
            return []
        try:
            self._driver.execute("COMMIT")
            self.commits += 1
        except psycopg.Error as error:
            if is_usable(self._driver.connection):
                with contextlib.suppress(psycopg.Error):
                    self._driver.execute("ROLLBACK")
                _fail(group, error)
            elif self._was_committed(number):
                self.commits += 1
            else:
                _fail(group, error)
        return postponed

    def _begin(self) -> tuple[Connection, str]:
        """Begin a transaction; returns its number too. Connects again if the server ended the connection."""
        if self._connection is not None:
            try:
                return self._connection, self._begin_transaction()
            except psycopg.Error as error:
                self._disconnect()
                if not is_connection_lost(error):
                    raise
        return self._connect_again(), self._begin_transaction()

    def _begin_transaction(self) -> str:
        self._driver.execute("BEGIN")
        row = self._driver.execute(_NUMBER_QUERY).fetchone()
        assert row is not None
        return str(row[0])

    def _connect_again(self) -> Connection:
        connection = connect_writer(self._engine)
        self._connection, self._driver = connection, postgres_of(connection)
        _log.info("connected to the database again")
        return connection

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        self._driver.connection.close()
        if connection is not None:
            with contextlib.suppress(psycopg.Error, SQLAlchemyError):
                connection.close()

    def _was_committed(self, number: str) -> bool:
        """Whether the commit whose response was lost took place. False if the server can't be asked.

        A commit that waits for a standby is in progress until then, also without its client.
        """
        self._disconnect()
        ends_at = time.monotonic() + _COMMIT_SECONDS
        try:
            self._connect_again()
            while True:
                row = self._driver.execute(_STATUS_QUERY, (number,)).fetchone()
                if row is None or row[0] != "in progress" or time.monotonic() >= ends_at:
                    break
                time.sleep(_STATUS_PAUSE_SECONDS)
        except (psycopg.Error, DBAPIError, StorageFault) as error:
            _log.error("it isn't known whether the last changes were saved: %s", error)
            return False
        return row is not None and row[0] == "committed"

    def _run_together(self, group: list[Job]) -> bool:
        """Run the writes of a group without savepoints. False, outside a transaction, if one of them fails.

        A savepoint costs two messages to the server, as many as a short write. They're only needed if a write
        fails, which is rare: then all are run again, each in a savepoint. So only writes on the driver are
        run like this, which do nothing but execute statements. Raises `ConnectionLost`.
        """
        driver = self._driver
        try:
            for job in group:
                job.result = job.work(driver)
        except Exception as error:
            if not is_usable(driver.connection):
                raise ConnectionLost from error
            driver.execute("ROLLBACK")
            return False
        return True

    def _run_each(self, connection: Connection, group: list[Job]) -> list[Job]:
        """Run writes so that each that fails is undone alone. Returns those that met a deadlock."""
        for job in group:
            self._run_job(connection, job, in_savepoint=len(group) > 1)
        return [job for job in group if job.error is not None and is_deadlock(job.error)]

    def _run_job(self, connection: Connection, job: Job, *, in_savepoint: bool) -> None:
        """Run one write. If it fails, its changes are undone. Raises `ConnectionLost`."""
        driver = self._driver
        try:
            if in_savepoint:
                driver.execute("SAVEPOINT work")
            try:
                job.result = job.work(driver if job.on_driver else connection)
            except BaseException as error:
                job.error = storage_fault(error) or error
                if not is_usable(driver.connection):
                    raise
                driver.execute("ROLLBACK TO work" if in_savepoint else "ROLLBACK AND CHAIN")
            if in_savepoint:
                driver.execute("RELEASE work")
        except BaseException as error:
            raise ConnectionLost from error

    def _run_outside_transaction(self, jobs: list[Job]) -> None:
        for job in jobs:
            try:
                connection = self._connection or self._connect_again()
                job.result = job.work(self._driver if job.on_driver else connection)
            except BaseException as error:  # noqa: BLE001  passed on to the caller
                job.error = storage_fault(error) or error
                if not is_usable(self._driver.connection):
                    self._disconnect()


def _fail(group: list[Job], error: Any) -> None:
    for job in group:
        job.error = storage_fault(error) or error
