"""What errors of PostgreSQL mean, in sentences for people."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy.exc import DBAPIError

from patchbay.domain.errors import StorageFault

_Message = tuple[str, str, str]

_NOT_SAVED = "The last change wasn't saved. Earlier changes are safe."
_UNREACHABLE: _Message = (
    "The database server can't be reached.",
    "A change that was being saved wasn't saved. Earlier changes are safe.",
    "Check the database's address, and that PostgreSQL is running. Patchbay then reconnects automatically.",
)
_REJECTED_SIGN_IN: _Message = (
    "The database server rejected the credentials.",
    "The user name or the password of the database is wrong.",
    "Check the address of the database and its password (--database-password-file, PGPASSFILE).",
)
_NO_PASSWORD: _Message = (
    "No password was given for the database.",
    "The database server asks for one.",
    "Give it with --database-password-file, PGPASSFILE, or PGPASSWORD.",
)
_MESSAGES: dict[str, _Message] = {
    "28": _REJECTED_SIGN_IN,
    "no password": _NO_PASSWORD,
    "3D000": (
        "The database doesn't exist.",
        "The server has no database of this name.",
        "Create it with “createdb”, or correct the address.",
    ),
    "42501": (
        "The database user isn't allowed to do that.",
        "Patchbay needs all rights on its own tables, and creates them itself.",
        "Make the user the owner of the database or of the schema.",
    ),
    "25006": (
        "The database can't be written.",
        "The server is read-only, such as a standby.",
        "Use the address of the primary server.",
    ),
    "53100": (
        "The disk of the database server is full.",
        _NOT_SAVED,
        "Free some space on the server.",
    ),
    "53300": (
        "The database server has no free connections.",
        _NOT_SAVED,
        "Increase max_connections, or close other programs that use the server.",
    ),
    "57014": (
        "The database took too long.",
        "The statement was cancelled, and nothing of it was saved.",
        "Try again when the server is less busy.",
    ),
    "55P03": (
        "The database is locked by another program.",
        "Another program holds a lock on the same rows or tables.",
        "Close the other program, then try again.",
    ),
    "23": (
        "The database rejected the change.",
        "It conflicts with data that is already saved.",
        "Refresh and try again.",
    ),
    "XX001": (
        "The database is damaged.",
        "Its contents can't be read reliably.",
        "Restore a backup of the server.",
    ),
}
_OTHER_MESSAGE: _Message = (
    "The database reported an error.",
    "The change wasn't saved.",
    "Try again. If it happens again, read the log of the database server.",
)
_SIGN_IN_ERRORS = {
    "no password supplied": "no password",
    "password": "28",
    "does not exist": "3D000",
    "too many": "53300",
}
_PERSISTENT_CLASSES = ("28", "3D", "42501", "25006", "53", "XX")
"""SQLSTATEs, or classes of them, whose cause remains until a person removes it."""
_TEMPORARY_CLASSES = ("25", "40", "55", "57")
"""Classes of SQLSTATEs whose cause is the server or another transaction, such as locks and timeouts."""


class DatabaseInUse(StorageFault):
    """Another program has the database for itself."""


def database_in_use() -> StorageFault:
    """The error for a database that another program has locked exclusively."""
    return DatabaseInUse(
        "Another program has this database for itself.",
        meaning="It is being moved or upgraded, or an older version of Patchbay uses it.",
        todo="Wait until that program has ended, or use another database.",
    )


def storage_fault(error: BaseException, *, with_detail: bool = False) -> StorageFault | None:
    """The `StorageFault` for an error of PostgreSQL; None for other errors.

    `with_detail`: with the words of the server, which can contain addresses and names of users.
    """
    original = error.orig if isinstance(error, DBAPIError) else error
    if not isinstance(original, psycopg.Error):
        return None
    happened, meaning, todo = _message(original)
    if with_detail and (detail := str(original).strip().splitlines()):
        meaning = f"{meaning} ({detail[-1].strip()})"
    fault = StorageFault(happened, meaning=meaning, todo=todo)
    fault.__cause__ = original
    is_temporary = (original.sqlstate or "").startswith(_TEMPORARY_CLASSES)
    fault.may_be_the_data = original.sqlstate is not None and not is_temporary and not is_persistent(fault)
    return fault


def is_persistent(fault: StorageFault) -> bool:
    """Whether the next write would fail too."""
    if isinstance(fault, DatabaseInUse):
        return True
    cause = fault.__cause__
    return isinstance(cause, psycopg.Error) and (
        is_connection_lost(cause) or (cause.sqlstate or "").startswith(_PERSISTENT_CLASSES)
    )


def is_connection_lost(error: BaseException) -> bool:
    """Whether the connection failed or ended, so that another one may work."""
    original = error.orig if isinstance(error, DBAPIError) else error
    if not isinstance(original, psycopg.OperationalError | psycopg.InterfaceError):
        return False
    state = original.sqlstate or "08000"
    return state.startswith(("08", "57P"))


def is_deadlock(error: BaseException) -> bool:
    """Whether the server ended a statement because two programs waited for each other."""
    original = error.__cause__ if isinstance(error, StorageFault) else error
    return isinstance(original, psycopg.errors.DeadlockDetected)


def _message(error: psycopg.Error) -> _Message:
    state = error.sqlstate or ""
    known = _MESSAGES.get(state) or _MESSAGES.get(state[:2])
    if known is not None:
        return known
    if isinstance(error, psycopg.OperationalError) and not state:
        # An error during sign-in has no code, only words.
        found = next((code for words, code in _SIGN_IN_ERRORS.items() if words in str(error)), None)
        if found is not None:
            return _MESSAGES[found]
    return _UNREACHABLE if is_connection_lost(error) else _OTHER_MESSAGE


@contextmanager
def translate_errors(*, with_detail: bool = False) -> Iterator[None]:
    """Turn errors of PostgreSQL inside the block into `StorageFault`."""
    try:
        yield
    except (psycopg.Error, DBAPIError) as error:
        fault = storage_fault(error, with_detail=with_detail)
        if fault is None:
            raise
        raise fault from error
