"""PostgreSQL's errors in words. SQLSTATE codes: PostgreSQL manual, appendix A."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from patchbay.integration import Context
from patchbay.integration.network_errors import chain
from patchbay.integration.sql import STATEMENT_SECONDS, Complaint, Login, refused, shut_out, unreachable
from patchbay.integration.sql.errors import sent_too_much, without_tls
from patchbay.integration.sql.server import TooMuchReceived

_KINDS = {
    Complaint.CREDENTIALS: ("28",),
    Complaint.DATABASE: ("3D",),
    Complaint.RIGHTS: ("42501",),
    Complaint.MISSING: ("42P01", "42703", "42883", "3F"),
    Complaint.RULE: ("23", "44"),
    Complaint.VALUE: ("22", "42804", "42846"),
    Complaint.SYNTAX: ("42",),
    Complaint.BUSY: ("53", "40", "55"),
}
_KIND = {code: kind for kind, codes in _KINDS.items() for code in codes}
_GOING_AWAY = ("57P", "08")
_CANCELLED = "57014"
_SHOWN = {
    "sqlstate": "sqlstate", "severity": "severity", "detail": "detail", "hint": "hint",
    "schema": "schema_name", "table": "table_name", "column": "column_name", "constraint": "constraint_name",
}  # fmt: skip


def kind_of(sqlstate: str) -> Complaint:
    """The kind of a refusal, by its code or else by the class of it."""
    return _KIND.get(sqlstate) or _KIND.get(sqlstate[:2], Complaint.OTHER)


@contextmanager
def told(ctx: Context, login: Login, sql: str, seconds: float = STATEMENT_SECONDS) -> Iterator[None]:
    """Turns what the driver raises into an `AppError`."""
    from asyncpg import InterfaceError, PostgresError

    try:
        yield
    except (TooMuchReceived, PostgresError, InterfaceError, OSError) as error:  # time-outs are among these
        if any(isinstance(cause, TooMuchReceived) for cause in chain(error)):
            raise sent_too_much(ctx, login.address) from error
        if isinstance(error, PostgresError):
            raise _answered(ctx, login, error, sql) from error
        if isinstance(error, InterfaceError):
            raise _not_sent(ctx, login, error, sql) from error
        if "rejected SSL upgrade" in str(error):
            raise without_tls(ctx, login.address) from error
        raise unreachable(ctx, error, login.address, seconds) from error


def _not_sent(ctx: Context, login: Login, error: Exception, sql: str) -> Exception:
    if isinstance(error, ValueError):  # a value that the driver itself cannot send
        return refused(ctx, Complaint.VALUE, str(error), details={}, sql=sql)
    return shut_out(ctx, str(error), login.address)


def _answered(ctx: Context, login: Login, error: Any, sql: str) -> Exception:
    sqlstate = error.sqlstate or ""
    said = getattr(error, "message", None) or str(error)
    if sqlstate == _CANCELLED:
        return unreachable(ctx, TimeoutError(said), login.address, STATEMENT_SECONDS)
    if sqlstate.startswith(_GOING_AWAY):
        return shut_out(ctx, said, login.address)
    details = {name: getattr(error, attribute, None) for name, attribute in _SHOWN.items()}
    return refused(ctx, kind_of(sqlstate), said, details=details, sql=sql)
