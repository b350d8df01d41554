"""How a SQLite file is opened: one read-write connection, and read-only ones beside it."""

import errno
import os
import sqlite3
import stat
import sys
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.pool import NullPool

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
