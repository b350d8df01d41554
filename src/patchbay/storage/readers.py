"""Read-only connections, as many at once as there are readers; a few are kept for the next."""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from patchbay.storage.faults import database_closed
from patchbay.storage.sqlite import driver_of, reader_engine

T = TypeVar("T")

_MAX_IDLE = 8


class ReaderPool:
    """A pool of read-only connections. Each read sees one unchanging state of the database."""

    def __init__(self, path: Path) -> None:
        self._engine = reader_engine(path)
        self._idle_connections: list[tuple[Connection, sqlite3.Connection]] = []
        self._lock = threading.Lock()
        self._open = True

    def run(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on the calling thread. Results must be fetched inside."""
        connection, driver = reader = self._check_out()
        try:
            driver.execute("BEGIN")
            return work(connection)
        finally:
            driver.rollback()
            self._check_in(reader)

    def close(self) -> None:
        """Close what is idle now; connections in use close when their read ends."""
        with self._lock:
            self._open = False
            idle, self._idle_connections = self._idle_connections, []
        for connection, _ in idle:
            connection.close()

    def _check_out(self) -> tuple[Connection, sqlite3.Connection]:
        with self._lock:
            if not self._open:
                raise database_closed()
            if self._idle_connections:
                return self._idle_connections.pop()
        connection = self._engine.connect()
        return connection, driver_of(connection)

    def _check_in(self, reader: tuple[Connection, sqlite3.Connection]) -> None:
        with self._lock:
            if self._open and len(self._idle_connections) < _MAX_IDLE:
                self._idle_connections.append(reader)
                return
        reader[0].close()
