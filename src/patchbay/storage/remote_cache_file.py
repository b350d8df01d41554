"""The SQLite file of a server's cache, with its schema and a thread of its own.

Everything in it can be fetched again, so a damaged file, or one of another version, is replaced by an empty
one.
"""

import asyncio
import contextlib
import logging
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from patchbay.domain.file_moves import delete_file

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
"""`flow` has each flow as executions show it, once per version of it: flows are the larger part of the data.
`run.met` is the number of the last pass over the history that found the execution."""

log = logging.getLogger("cache")

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

PRIVATE = 0o600
BUSY_SECONDS = 3.0
"""How long to wait for another window connected to the same server."""
_OWNER_NOTE = "owner"


def read_note(connection: sqlite3.Connection, name: str) -> str | None:
    """Read a small text by name; None if there is none."""
    row = connection.execute("SELECT body FROM note WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def write_note(connection: sqlite3.Connection, name: str, text: str) -> None:
    """Store a small text under a name."""
    connection.execute("REPLACE INTO note (name, body) VALUES (?, ?)", (name, text))


class CacheFile:
    """A cache file. Work on it runs in order, on one thread, off the event loop."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.open_count = 0
        """How often the file was opened or emptied; after each time, it may be empty."""
        self.owner: str | None = None
        """The user the data belong to, once known. Data of another user are deleted, never read."""
        self._connection: sqlite3.Connection | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="patchbay-cache")
        self._closed = False

    async def run(self, work: Work[T], default: T) -> T:
        """Run `work` in a transaction. Returns its result, or `default` if the file can't be used now."""
        if self._closed:
            return default
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, work, default)

    def run_in_background(self, work: Work[object]) -> None:
        """Queue `work` without waiting. It runs before any work submitted later."""
        if not self._closed:
            self._thread.submit(self._run, work, None)

    async def close(self) -> None:
        """Finish queued work and close the file."""
        if not self._closed:
            self._closed = True
            await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
            self._thread.shutdown(wait=False)

    def _run(self, work: Work[T], default: T) -> T:
        for _ in range(2):
            try:
                return self._in_transaction(work)
            except sqlite3.OperationalError as error:  # locked, full, or not writable: the file is intact
                log.warning("%s can't be used now: %s", self._path.name, error)
                return default
            except sqlite3.DatabaseError as error:
                log.warning("%s is damaged and is replaced: %s", self._path.name, error)
                self._disconnect()
                if not remove(self._path):
                    return default
            except OSError as error:
                log.warning("%s can't be used: %s", self._path.name, error)
                return default
        return default

    def _in_transaction(self, work: Work[T]) -> T:
        connection = self._ensure_connected()
        try:
            connection.execute("BEGIN")
            if self.owner is not None and read_note(connection, _OWNER_NOTE) != self.owner:
                for statement in EMPTY_ALL_TABLES:
                    connection.execute(statement)
                write_note(connection, _OWNER_NOTE, self.owner)
                self.open_count += 1
            result = work(connection)
            connection.commit()
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.rollback()
            raise
        return result

    def _ensure_connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Private from the start; SQLite gives its side files the same mode.
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
    """Delete the file and SQLite's side files. Returns False if that fails."""
    try:
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            delete_file(path.parent / name)
    except OSError as error:
        log.warning("%s couldn't be deleted: %s", path.name, error)
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
            raise sqlite3.DatabaseError(f"it has the schema of another version ({version})")
        if version == 0:
            connection.executescript(f"BEGIN;{SCHEMA};PRAGMA user_version={VERSION};COMMIT;")
    except BaseException:
        connection.close()
        raise
    return connection
