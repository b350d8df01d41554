"""Read-only connections, as many at once as there are readers; a few are kept for the next."""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from patchbay.storage.faults import closed
from patchbay.storage.sqlite import driver_of, reader_engine

T = TypeVar("T")

_KEPT = 8


class Readers:
    """A pool of read-only connections. Each read sees one unchanging state of the database."""

    def __init__(self, path: Path) -> None:
        self._engine = reader_engine(path)
        self._idle: list[tuple[Connection, sqlite3.Connection]] = []
        self._gate = threading.Lock()
        self._open = True

    def run(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on the calling thread. Results must be fetched inside."""
        connection, driver = reader = self._take()
        try:
            driver.execute("BEGIN")
            return work(connection)
        finally:
            driver.rollback()
            self._give_back(reader)

    def close(self) -> None:
        """Close what is idle now; connections in use close when their read ends."""
        with self._gate:
            self._open = False
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()

    def _take(self) -> tuple[Connection, sqlite3.Connection]:
        with self._gate:
            if not self._open:
                raise closed()
            if self._idle:
                return self._idle.pop()
        connection = self._engine.connect()
        return connection, driver_of(connection)

    def _give_back(self, reader: tuple[Connection, sqlite3.Connection]) -> None:
        with self._gate:
            if self._open and len(self._idle) < _KEPT:
                self._idle.append(reader)
                return
        reader[0].close()
