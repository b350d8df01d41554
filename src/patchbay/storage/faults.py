"""What SQLite refuses, in words."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from patchbay.domain.errors import StorageFault

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
