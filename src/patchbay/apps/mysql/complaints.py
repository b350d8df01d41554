"""MySQL's errors in words. Codes: MySQL and MariaDB error references."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from patchbay.integration import Context
from patchbay.integration.sql import STATEMENT_SECONDS, Complaint, refused, shut_out, unreachable
from patchbay.integration.sql.errors import sent_too_much, without_tls
from patchbay.integration.sql.server import TooMuchReceived

_KINDS = {
    Complaint.CREDENTIALS: (1045, 1130, 1698, 1862, 1820, 3118, 3955, 4151),
    Complaint.DATABASE: (1049,),
    Complaint.RIGHTS: (1044, 1142, 1143, 1227, 1290, 1370),
    Complaint.MISSING: (1051, 1054, 1109, 1146, 1305),
    Complaint.RULE: (1048, 1062, 1169, 1364, 1451, 1452, 3819, 4025),
    Complaint.VALUE: (1264, 1265, 1292, 1365, 1366, 1367, 1406, 1411, 3140, 3156),
    Complaint.SYNTAX: (1064, 1065, 1149, 1210, 1295),
    Complaint.BUSY: (1040, 1203, 1205, 1213, 1226),
}
_KIND = {code: kind for kind, codes in _KINDS.items() for code in codes}
_TOO_LONG = (1969, 3024)
_GOING_AWAY = (1053, 1077, 1079, 1129, 1152, 1153, 1158, 1159, 1160, 1161, 1184, 1317, 1927, 3169, 4031)
_OWN = range(2000, 3000)
"""Codes of the driver itself: the server said nothing."""


def kind_of(code: int) -> Complaint:
    """The kind of a refusal, by its code."""
    return _KIND.get(code, Complaint.OTHER)


@contextmanager
def told(ctx: Context, host: str, sql: str, seconds: float = STATEMENT_SECONDS) -> Iterator[None]:
    """Turns what the driver raises into an `AppError`."""
    from aiomysql import MySQLError

    try:
        yield
    except TooMuchReceived as error:
        raise sent_too_much(ctx, host) from error
    except MySQLError as error:
        raise _answered(ctx, host, error, sql, seconds) from error
    except OSError as error:  # time-outs and failures of encryption are among these
        raise _not_reached(ctx, host, error, seconds) from error


def _answered(ctx: Context, host: str, error: Any, sql: str, seconds: float) -> Exception:
    code, said = _parts(error)
    if isinstance(error.__cause__, OSError):
        return _not_reached(ctx, host, error.__cause__, seconds)
    if code in _TOO_LONG:
        return unreachable(ctx, TimeoutError(said), host, seconds)
    if code in _OWN or code in _GOING_AWAY:
        return shut_out(ctx, said, host)
    details = {"code": code, "sqlstate": getattr(error, "sqlstate", None)}
    return refused(ctx, kind_of(code), said, details=details, sql=sql)


def _not_reached(ctx: Context, host: str, error: OSError, seconds: float) -> Exception:
    from .driver import NO_TLS

    if NO_TLS in str(error):
        return without_tls(ctx, host)
    return unreachable(ctx, error, host, seconds)


def _parts(error: Any) -> tuple[int, str]:
    code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    return code, str(error.args[-1]) if error.args else type(error).__name__
