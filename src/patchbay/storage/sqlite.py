"""How a SQLite file is opened: one read-write connection, and read-only ones beside it."""

import errno
import os
import sqlite3
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from patchbay.domain.errors import StorageFault

# MERGED: What SQLite refuses, in words.

_PRIMARY_CODE_MASK = 0xFF
"""SQLite keeps the general error in the low byte of its extended codes."""

_Message = tuple[str, str, str]

_MESSAGES: dict[int, _Message] = {
    sqlite3.SQLITE_FULL: (
        "The disk is full.",
        "The last change was not saved; everything saved before it is safe.",
        "Free some space on the disk that holds the data folder, then try again.",
    ),
    sqlite3.SQLITE_READONLY: (
        "The database cannot be written.",
        "Its file or folder is read-only for this user.",
        "Allow writing to the data folder, or choose another with --data-dir.",
    ),
    sqlite3.SQLITE_BUSY: (
        "The database is locked by another program.",
        "Something else holds the file open for writing.",
        "Close the other program (or backup tool) that uses the data folder, then try again.",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "The database file is damaged.",
        "Its contents cannot be read reliably.",
        "Restore a backup; run “patchbay doctor” to see what can still be read.",
    ),
    sqlite3.SQLITE_NOTADB: (
        "The file is not a database.",
        "It was overwritten or damaged, or belongs to another program.",
        "Move it away and restore a backup, or choose another data folder.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "The database file cannot be opened.",
        "The data folder is missing, or this user may not use it.",
        "Check that the data folder exists and belongs to you.",
    ),
    sqlite3.SQLITE_IOERR: (
        "The disk reported an error.",
        "The database could not be read or written; the last change was not saved.",
        "Check the disk (and the network, if the data folder is on a network drive), then try again.",
    ),
    sqlite3.SQLITE_TOOBIG: (
        "A value is too large for the database.",
        "The change was not saved.",
        "Send less data in one step.",
    ),
    sqlite3.SQLITE_CONSTRAINT: (
        "The database refused the change.",
        "It would contradict what is stored already.",
        "Reload and try again.",
    ),
}
_MESSAGES[sqlite3.SQLITE_LOCKED] = _MESSAGES[sqlite3.SQLITE_BUSY]
_MESSAGES[sqlite3.SQLITE_PERM] = _MESSAGES[sqlite3.SQLITE_READONLY]

_PERSISTENT_CODES = {
    sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB,
}  # fmt: skip

_OTHER_MESSAGE: _Message = (
    "The database reported an error.",
    "The change was not saved.",
    "Try again; if it happens again, run “patchbay doctor”.",
)


def storage_fault(error: BaseException) -> StorageFault | None:
    """The fault that tells what SQLite reported; None when the error is not SQLite's."""
    original = error.orig if isinstance(error, DBAPIError) else error
    if not isinstance(original, sqlite3.Error):
        return None
    code = getattr(original, "sqlite_errorcode", 0) or 0
    happened, meaning, todo = _MESSAGES.get(code & _PRIMARY_CODE_MASK, _OTHER_MESSAGE)
    fault = StorageFault(happened, meaning=meaning, todo=todo)
    fault.__cause__ = original
    return fault


def is_persistent(fault: StorageFault) -> bool:
    """Whether the disk or the file is the cause, so that the next write will fail as well."""
    code = getattr(fault.__cause__, "sqlite_errorcode", 0) or 0
    return code & _PRIMARY_CODE_MASK in _PERSISTENT_CODES


def disk_full() -> StorageFault:
    """The disk has no space left for what comes next."""
    happened, meaning, todo = _MESSAGES[sqlite3.SQLITE_FULL]
    return StorageFault(happened, meaning=meaning, todo=todo)


def not_a_database() -> StorageFault:
    """The file has other contents, or was cut so short that SQLite would take it for a new one."""
    happened, meaning, todo = _MESSAGES[sqlite3.SQLITE_NOTADB]
    return StorageFault(happened, meaning=meaning, todo=todo)


def cannot_open(error: OSError) -> StorageFault:
    """The file could not even be created, or belongs to somebody else."""
    happened, meaning, todo = _MESSAGES[sqlite3.SQLITE_CANTOPEN]
    return StorageFault(happened, meaning=f"{meaning} ({error.strerror})", todo=todo)


@contextmanager
def translate_sqlite_errors() -> Iterator[None]:
    """Turn what SQLite raises inside into a `StorageFault`."""
    try:
        yield
    except (sqlite3.Error, DBAPIError) as error:
        fault = storage_fault(error)
        if fault is None:
            raise
        raise fault from error


def database_closed() -> StorageFault:
    """The database was closed before (or while) it was asked."""
    return StorageFault(
        "The database is closed.",
        meaning="The workspace was being closed when this was asked.",
        todo="Open the workspace again.",
    )


_WRITE_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -16000",
    # Fewer, larger checkpoints: each costs the waiting writes two fsyncs.
    "PRAGMA wal_autocheckpoint = 4000",
    "PRAGMA journal_size_limit = 67108864",
)
ENABLE_INCREMENTAL_VACUUM = "PRAGMA auto_vacuum = INCREMENTAL"
"""For files that are still empty, or before a `VACUUM`: free pages can then be given back one by one."""
_READ_PRAGMAS = ("PRAGMA query_only = ON", "PRAGMA temp_store = MEMORY", "PRAGMA cache_size = -8000")
_WRITE_TIMEOUT_SECONDS = 10.0
_READ_TIMEOUT_SECONDS = 30.0
_CACHED_STATEMENTS = 256
_FILE_HEADER, _MIN_PAGE_BYTES = b"SQLite format 3\0", 512


def create_private(path: Path) -> None:
    """Make sure the file exists and only its owner can read it; SQLite gives its side files the same mode.

    Raises `OSError` for what is no regular file: SQLite would wait forever for a pipe.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o600)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
    finally:
        os.close(descriptor)
    if sys.platform != "win32" and path.stat().st_mode & 0o077:
        path.chmod(0o600)


def is_database_or_empty(path: Path) -> bool:
    """Whether SQLite may open the file. It would take one of less than a page for empty, and overwrite it."""
    with path.open("rb") as file:
        head = file.read(_MIN_PAGE_BYTES)
    return not head or (head.startswith(_FILE_HEADER) and len(head) == _MIN_PAGE_BYTES)


def _unicode_lower(value: str | None) -> str | None:
    return None if value is None else str(value).lower()


def _connect(path: Path, mode: str, timeout: float, pragmas: tuple[str, ...]) -> sqlite3.Connection:
    driver = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_CACHED_STATEMENTS,
    )
    try:
        # SQLite's own lower() knows ASCII only, and names are searched by what it makes of them.
        driver.create_function("lower", 1, _unicode_lower, deterministic=True)
        for pragma in pragmas:
            driver.execute(pragma)
    except BaseException:
        driver.close()
        raise
    return driver


def connect_writer(path: Path) -> sqlite3.Connection:
    """The one read-write connection, in autocommit: the writer says BEGIN and COMMIT itself."""
    pragmas: tuple[str, ...] = _WRITE_PRAGMAS
    if not path.stat().st_size:
        pragmas = (ENABLE_INCREMENTAL_VACUUM, *pragmas)
    if sys.platform == "darwin":
        pragmas += ("PRAGMA fullfsync = ON", "PRAGMA checkpoint_fullfsync = ON")
    return _connect(path, "rw", _WRITE_TIMEOUT_SECONDS, pragmas)


def connect_reader(path: Path) -> sqlite3.Connection:
    """A read-only connection. It never checkpoints, so it cannot get in the writer's way."""
    return _connect(path, "ro", _READ_TIMEOUT_SECONDS, _READ_PRAGMAS)


def writer_engine(path: Path) -> Engine:
    return _engine(lambda: connect_writer(path))


def reader_engine(path: Path) -> Engine:
    return _engine(lambda: connect_reader(path))


def _engine(connect: Callable[[], sqlite3.Connection]) -> Engine:
    """Values of statements stay out of its errors, which end up in the log."""
    return create_engine("sqlite://", creator=connect, poolclass=NullPool, hide_parameters=True)


def driver_of(connection: Connection) -> sqlite3.Connection:
    """The driver's own connection beneath SQLAlchemy's."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


# MERGED: Read-only connections, as many at once as there are readers; a few are kept for the next.

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
