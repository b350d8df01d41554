"""Read-only connections to PostgreSQL."""

import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

import psycopg
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from patchbay.storage.postgresql.connections import READ_TIMEOUT, is_usable, postgres_of
from patchbay.storage.postgresql.faults import is_connection_lost, translate_errors
from patchbay.storage.writer import database_closed

T = TypeVar("T")

_MAX_IDLE = 4
"""Idle connections kept for reuse."""
_BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresReaders:
    """A pool of connections without an upper limit. Each read sees one state of the database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._idle_connections: list[Connection] = []
        self._lock = threading.Lock()
        self._open = True

    def run(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on the calling thread. Reads again if the connection was lost meanwhile."""
        with translate_errors():
            try:
                return self._run_once(work)
            except (psycopg.Error, DBAPIError) as error:
                if not is_connection_lost(error):
                    raise
            # The server was restarted, or ended idle connections: none of them works any more.
            for connection in self._take_idle():
                _close(connection)
            return self._run_once(work)

    def close(self) -> None:
        """Close idle connections; those in use are closed when their read ends."""
        with self._lock:
            self._open = False
        for connection in self._take_idle():
            _close(connection)

    def _run_once(self, work: Callable[[Connection], T]) -> T:
        connection = self._check_out()
        driver = postgres_of(connection)
        try:
            driver.execute(_BEGIN)
            try:
                return work(connection)
            finally:
                if is_usable(driver.connection):
                    driver.execute("ROLLBACK")
        finally:
            self._check_in(connection)

    def _take_idle(self) -> list[Connection]:
        with self._lock:
            idle, self._idle_connections = self._idle_connections, []
        return idle

    def _check_out(self) -> Connection:
        with self._lock:
            if not self._open:
                raise database_closed()
            if self._idle_connections:
                return self._idle_connections.pop()
        connection = self._engine.connect()
        postgres_of(connection).execute(READ_TIMEOUT)
        return connection

    def _check_in(self, connection: Connection) -> None:
        with self._lock:
            if (
                self._open
                and len(self._idle_connections) < _MAX_IDLE
                and not connection.invalidated
                and is_usable(postgres_of(connection).connection)
            ):
                self._idle_connections.append(connection)
                return
        _close(connection)


def _close(connection: Connection) -> None:
    with contextlib.suppress(psycopg.Error, DBAPIError):
        connection.close()
