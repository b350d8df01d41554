"""The tables of what is kept of a service. Another version begins anew."""

import asyncio
import contextlib
import logging
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

VERSION = 1
EMPTY_ALL_TABLES = ("DELETE FROM answer", "DELETE FROM note", "DELETE FROM flow", "DELETE FROM run")

SCHEMA = """
CREATE TABLE IF NOT EXISTS answer (
    question TEXT PRIMARY KEY, body BLOB NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS answer_used ON answer (used);
CREATE TABLE IF NOT EXISTS note (name TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS flow (
    number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, id TEXT NOT NULL, name TEXT NOT NULL,
    apps TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS flow_id ON flow (id);
CREATE TABLE IF NOT EXISTS run (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, state TEXT NOT NULL, flow INTEGER NOT NULL,
    test_run INTEGER NOT NULL, note TEXT, origin_id TEXT, met INTEGER NOT NULL, looked_at INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS run_time ON run (created_at, id, state, flow, test_run);
CREATE INDEX IF NOT EXISTS run_flow ON run (flow, created_at, id, state, test_run);
CREATE INDEX IF NOT EXISTS run_state ON run (state, created_at, id, flow, test_run)
"""
"""A flow as executions show it is stored once for each form it had, since it is the larger part of them."""

# MERGED: Small texts by name.


def read_note(connection: sqlite3.Connection, name: str) -> str | None:
    row = connection.execute("SELECT body FROM note WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def write_note(connection: sqlite3.Connection, name: str, text: str) -> None:
    connection.execute("REPLACE INTO note (name, body) VALUES (?, ?)", (name, text))


# MERGED: One private SQLite file on a thread of its own. It holds nothing that cannot be asked for
# again.

log = logging.getLogger("cache")

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

PRIVATE = 0o600
_OWNER_NOTE = "owner"
BUSY_SECONDS = 3.0
"""How long another window on the same service is waited for."""


class CacheFile:
    """Work on the file, one piece after the other, away from the loop."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.open_count = 0
        """How often it was opened or emptied; each time nothing may be in it any more."""
        self.owner: str | None = None
        """Whose file it is, once that is known. What another owner left in it is deleted, never read."""
        self._connection: sqlite3.Connection | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="patchbay-cache")
        self._closed = False

    async def run(self, work: Work[T], default: T) -> T:
        """What the work brings; `default` when the file cannot be used just now."""
        if self._closed:
            return default
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, work, default)

    def run_in_background(self, work: Work[object]) -> None:
        """Do it in the background; it is done before what is asked for after it."""
        if not self._closed:
            self._thread.submit(self._run, work, None)

    async def close(self) -> None:
        """Finish what was begun and let go of the file."""
        if not self._closed:
            self._closed = True
            await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
            self._thread.shutdown(wait=False)

    def _run(self, work: Work[T], default: T) -> T:
        for _ in range(2):
            try:
                return self._in_transaction(work)
            except sqlite3.OperationalError as error:  # locked, full, not writable: the file itself is whole
                log.warning("%s cannot be used now: %s", self._path.name, error)
                return default
            except sqlite3.DatabaseError as error:
                log.warning("%s is damaged and begun anew: %s", self._path.name, error)
                self._disconnect()
                if not remove(self._path):
                    return default
            except OSError as error:
                log.warning("%s cannot be used: %s", self._path.name, error)
                return default
        return default

    def _in_transaction(self, work: Work[T]) -> T:
        connection = self._ensure_connected()
        try:
            connection.execute("BEGIN")
            if self.owner is not None and read_note(connection, _OWNER_NOTE) != self.owner:
                self._reset_for_owner(connection, self.owner)
            result = work(connection)
            connection.commit()
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.rollback()
            raise
        return result

    def _reset_for_owner(self, connection: sqlite3.Connection, owner: str) -> None:
        for statement in EMPTY_ALL_TABLES:
            connection.execute(statement)
        write_note(connection, _OWNER_NOTE, owner)
        self.open_count += 1

    def _ensure_connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Closed to others from the start; SQLite gives the files beside it the same mode.
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, PRIVATE))
            self._connection = _connect(self._path)
            self.open_count += 1
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None


def remove(path: Path) -> bool:
    """Delete the file and what SQLite keeps beside it; False when that cannot be done."""
    try:
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            (path.parent / name).unlink(missing_ok=True)
    except OSError as error:
        log.warning("%s could not be removed: %s", path.name, error)
        return False
    return True


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA secure_delete=ON")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, VERSION):
            raise sqlite3.DatabaseError(f"it has the form of another version ({version})")
        if version == 0:
            connection.executescript(f"BEGIN;{SCHEMA};PRAGMA user_version={VERSION};COMMIT;")
    except BaseException:
        connection.close()
        raise
    return connection
