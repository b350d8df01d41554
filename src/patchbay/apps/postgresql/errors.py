"""Turns PostgreSQL errors into `AppError`s. SQLSTATE codes: PostgreSQL manual, appendix A."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from patchbay.integration import Context
from patchbay.integration.network_errors import cause_chain
from patchbay.integration.sql import (
    STATEMENT_SECONDS,
    DatabaseErrorKind,
    Login,
    connection_lost_error,
    database_error,
    unreachable_error,
)
from patchbay.integration.sql.errors import no_tls_error, too_much_data_error
from patchbay.integration.sql.server import TooMuchReceived

_STATES_BY_KIND = {
    DatabaseErrorKind.CREDENTIALS: ("28",),
    DatabaseErrorKind.DATABASE: ("3D",),
    DatabaseErrorKind.RIGHTS: ("42501",),
    DatabaseErrorKind.MISSING: ("42P01", "42703", "42883", "3F"),
    DatabaseErrorKind.RULE: ("23", "44"),
    DatabaseErrorKind.VALUE: ("22", "42804", "42846"),
    DatabaseErrorKind.SYNTAX: ("42",),
    DatabaseErrorKind.BUSY: ("53", "40", "55"),
}
_KIND_BY_STATE = {code: kind for kind, codes in _STATES_BY_KIND.items() for code in codes}
_SHUTDOWN_STATES = ("57P", "08")
_CANCELLED = "57014"
_DETAIL_ATTRIBUTES = {
    "sqlstate": "sqlstate",
    "severity": "severity",
    "detail": "detail",
    "hint": "hint",
    "schema": "schema_name",
    "table": "table_name",
    "column": "column_name",
    "constraint": "constraint_name",
}


def error_kind(sqlstate: str) -> DatabaseErrorKind:
    """The error kind of an SQLSTATE code, or of its class."""
    return _KIND_BY_STATE.get(sqlstate) or _KIND_BY_STATE.get(sqlstate[:2], DatabaseErrorKind.OTHER)


@contextmanager
def translate_errors(
    ctx: Context, login: Login, sql: str, seconds: float = STATEMENT_SECONDS
) -> Iterator[None]:
    """Turn the driver's errors into `AppError`s."""
    from asyncpg import InterfaceError, PostgresError

    try:
        yield
    except (TooMuchReceived, PostgresError, InterfaceError, OSError) as error:  # includes timeouts
        if any(isinstance(cause, TooMuchReceived) for cause in cause_chain(error)):
            raise too_much_data_error(ctx, login.address) from error
        if isinstance(error, PostgresError):
            raise _error_from_server(ctx, login, error, sql) from error
        if isinstance(error, InterfaceError):
            if isinstance(error, ValueError):  # a value that the driver can't encode
                raise database_error(ctx, DatabaseErrorKind.VALUE, str(error), details={}, sql=sql) from error
            raise connection_lost_error(ctx, str(error), login.address) from error
        if "rejected SSL upgrade" in str(error):
            raise no_tls_error(ctx, login.address) from error
        raise unreachable_error(ctx, error, login.address, seconds) from error


def _error_from_server(ctx: Context, login: Login, error: Any, sql: str) -> Exception:
    sqlstate = error.sqlstate or ""
    said = getattr(error, "message", None) or str(error)
    if sqlstate == _CANCELLED:
        return unreachable_error(ctx, TimeoutError(said), login.address, STATEMENT_SECONDS)
    if sqlstate.startswith(_SHUTDOWN_STATES):
        return connection_lost_error(ctx, said, login.address)
    details = {name: getattr(error, attribute, None) for name, attribute in _DETAIL_ATTRIBUTES.items()}
    return database_error(ctx, error_kind(sqlstate), said, details=details, sql=sql)
