"""Opens SQLite files: read-write and read-only connections, a pool of readers, and error texts."""

import errno
import os
import sqlite3
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from patchbay.domain.errors import StorageFault
from patchbay.storage.driver import DRIVER_KEY
from patchbay.storage.writer import database_closed

T = TypeVar("T")

_MAX_IDLE = 8
"""Idle read-only connections kept for reuse."""
_PRIMARY_CODE_MASK = 0xFF
"""The low byte of SQLite's extended error codes is the general error."""

_Message = tuple[str, str, str]

_MESSAGES: dict[int, _Message] = {
    sqlite3.SQLITE_FULL: (
        "The disk is full.",
        "The last change wasn't saved. Earlier changes are safe.",
        "Free some space on the disk that holds the data folder, then try again.",
    ),
    sqlite3.SQLITE_READONLY: (
        "The database can't be written.",
        "Its file or folder is read-only for this user.",
        "Make the data folder writable, or choose another with --data-dir.",
    ),
    sqlite3.SQLITE_BUSY: (
        "The database is locked by another program.",
        "Another program has the file open for writing.",
        "Close the other program (or backup tool) that uses the data folder, then try again.",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "The database file is damaged.",
        "Its contents can't be read reliably.",
        "Restore a backup, or run “patchbay doctor” to see what is damaged.",
    ),
    sqlite3.SQLITE_NOTADB: (
        "The file isn't a database.",
        "It was overwritten or damaged, or belongs to another program.",
        "Move the file and restore a backup, or choose another data folder.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "The database file can't be opened.",
        "The data folder is missing, or you don't have permission to use it.",
        "Check that the data folder exists and belongs to you.",
    ),
    sqlite3.SQLITE_IOERR: (
        "The disk reported an error.",
        "The database couldn't be read or written. The last change wasn't saved.",
        "Check the disk (and the network, if the data folder is on a network drive), then try again.",
    ),
    sqlite3.SQLITE_TOOBIG: (
        "A value is too large for the database.",
        "The change wasn't saved.",
        "Use less data in one step.",
    ),
    sqlite3.SQLITE_CONSTRAINT: (
        "The database rejected the change.",
        "It conflicts with data that is already saved.",
        "Refresh and try again.",
    ),
}
_MESSAGES[sqlite3.SQLITE_LOCKED] = _MESSAGES[sqlite3.SQLITE_BUSY]
_MESSAGES[sqlite3.SQLITE_PERM] = _MESSAGES[sqlite3.SQLITE_READONLY]

_PERSISTENT_CODES = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
}
_DATA_CODES = {sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH}
"""Errors whose cause is what was to be written."""

_OTHER_MESSAGE: _Message = (
    "The database reported an error.",
    "The change wasn't saved.",
    "Try again. If it happens again, run “patchbay doctor”.",
)


def storage_fault(error: BaseException) -> StorageFault | None:
    """The `StorageFault` for an error of SQLite; None for other errors."""
    original = error.orig if isinstance(error, DBAPIError) else error
    if not isinstance(original, sqlite3.Error):
        return None
    code = getattr(original, "sqlite_errorcode", 0) or 0
    happened, meaning, todo = _MESSAGES.get(code & _PRIMARY_CODE_MASK, _OTHER_MESSAGE)
    fault = StorageFault(happened, meaning=meaning, todo=todo)
    fault.__cause__ = original
    fault.may_be_the_data = code & _PRIMARY_CODE_MASK in _DATA_CODES
    return fault


def is_persistent(fault: StorageFault) -> bool:
    """Whether the disk or the file is the cause, so the next write would fail too."""
    code = getattr(fault.__cause__, "sqlite_errorcode", 0) or 0
    return code & _PRIMARY_CODE_MASK in _PERSISTENT_CODES


def disk_full() -> StorageFault:
    """The error for a full disk."""
    happened, meaning, todo = _MESSAGES[sqlite3.SQLITE_FULL]
    return StorageFault(happened, meaning=meaning, todo=todo)


def not_a_database() -> StorageFault:
    """The error for a file with other contents, or one so short that SQLite would treat it as new."""
    happened, meaning, todo = _MESSAGES[sqlite3.SQLITE_NOTADB]
    return StorageFault(happened, meaning=meaning, todo=todo)


def cannot_open(error: OSError) -> StorageFault:
    """The error for a file that can't be created or opened."""
    happened, meaning, todo = _MESSAGES[sqlite3.SQLITE_CANTOPEN]
    return StorageFault(happened, meaning=f"{meaning} ({error.strerror})", todo=todo)


@contextmanager
def translate_sqlite_errors() -> Iterator[None]:
    """Turn errors of SQLite inside the block into `StorageFault`."""
    try:
        yield
    except (sqlite3.Error, DBAPIError) as error:
        fault = storage_fault(error)
        if fault is None:
            raise
        raise fault from error


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
"""Lets free pages be released one by one. Takes effect in an empty file or with the next `VACUUM`."""
_READ_PRAGMAS = ("PRAGMA query_only = ON", "PRAGMA temp_store = MEMORY", "PRAGMA cache_size = -8000")
_WRITE_TIMEOUT_SECONDS = 10.0
_READ_TIMEOUT_SECONDS = 30.0
_CACHED_STATEMENTS = 256
_FILE_HEADER, _MIN_PAGE_BYTES = b"SQLite format 3\0", 512


def create_private(path: Path) -> None:
    """Create the file if necessary, readable only by its owner. SQLite gives its side files the same mode.

    Raises `OSError` unless it is a regular file: SQLite would wait forever for a pipe.
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
    """Whether SQLite may open the file. It treats a file shorter than a page as empty and overwrites it."""
    with path.open("rb") as file:
        head = file.read(_MIN_PAGE_BYTES)
    return not head or (head.startswith(_FILE_HEADER) and len(head) == _MIN_PAGE_BYTES)


def _unicode_lower(value: str | None) -> str | None:
    return None if value is None else str(value).lower()


class _Dialect(NamedTuple):
    name: str


class SqliteDriver(sqlite3.Connection):
    """A connection that says which database it is one to; see `driver.Driver`."""

    dialect = _Dialect("sqlite")


def _connect(path: Path, mode: str, timeout: float, pragmas: tuple[str, ...]) -> sqlite3.Connection:
    driver = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_CACHED_STATEMENTS,
        factory=SqliteDriver,
    )
    try:
        # SQLite's own lower() knows only ASCII, but names are searched in any case.
        driver.create_function("lower", 1, _unicode_lower, deterministic=True)
        for pragma in pragmas:
            driver.execute(pragma)
    except BaseException:
        driver.close()
        raise
    return driver


def connect_writer(path: Path) -> sqlite3.Connection:
    """Open the read-write connection in autocommit mode: the writer sends BEGIN and COMMIT itself."""
    pragmas: tuple[str, ...] = _WRITE_PRAGMAS
    if not path.stat().st_size:
        pragmas = (ENABLE_INCREMENTAL_VACUUM, *pragmas)
    if sys.platform == "darwin":
        pragmas += ("PRAGMA fullfsync = ON", "PRAGMA checkpoint_fullfsync = ON")
    return _connect(path, "rw", _WRITE_TIMEOUT_SECONDS, pragmas)


def connect_reader(path: Path) -> sqlite3.Connection:
    """Open a read-only connection. It never runs checkpoints, so it never blocks the writer."""
    return _connect(path, "ro", _READ_TIMEOUT_SECONDS, _READ_PRAGMAS)


def writer_engine(path: Path) -> Engine:
    """A SQLAlchemy engine whose connections are those of `connect_writer`."""
    return _engine(lambda: connect_writer(path))


def reader_engine(path: Path) -> Engine:
    """A SQLAlchemy engine whose connections are those of `connect_reader`."""
    return _engine(lambda: connect_reader(path))


def _engine(connect: Callable[[], sqlite3.Connection]) -> Engine:
    """An engine without a pool. `hide_parameters` keeps values out of its errors, which are logged."""
    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool, hide_parameters=True)
    event.listen(engine, "connect", _remember_driver)
    return engine


def _remember_driver(driver: sqlite3.Connection, record: Any) -> None:
    record.info[DRIVER_KEY] = driver


def sqlite_of(connection: Connection) -> SqliteDriver:
    """SQLite's own connection behind SQLAlchemy's, for what only SQLite can do; see `driver.driver_of`."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, SqliteDriver)
    return driver


class ReaderPool:
    """A pool of read-only connections without an upper limit. Each read sees one state of the database."""

    def __init__(self, path: Path) -> None:
        self._engine = reader_engine(path)
        self._idle_connections: list[tuple[Connection, sqlite3.Connection]] = []
        self._lock = threading.Lock()
        self._open = True

    def run(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on the calling thread. Results must be fetched inside."""
        with translate_sqlite_errors():
            connection, driver = reader = self._check_out()
            try:
                driver.execute("BEGIN")
                return work(connection)
            finally:
                driver.rollback()
                self._check_in(reader)

    def close(self) -> None:
        """Close idle connections; those in use are closed when their read ends."""
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
        return connection, sqlite_of(connection)

    def _check_in(self, reader: tuple[Connection, sqlite3.Connection]) -> None:
        with self._lock:
            if self._open and len(self._idle_connections) < _MAX_IDLE:
                self._idle_connections.append(reader)
                return
        reader[0].close()
