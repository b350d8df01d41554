"""Turns MySQL errors into `AppError`s. Codes: MySQL and MariaDB error references."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from patchbay.integration import Context
from patchbay.integration.sql import (
    STATEMENT_SECONDS,
    DatabaseErrorKind,
    connection_lost_error,
    database_error,
    unreachable_error,
)
from patchbay.integration.sql.errors import no_tls_error, too_much_data_error
from patchbay.integration.sql.server import TooMuchReceived

_CODES_BY_KIND = {
    DatabaseErrorKind.CREDENTIALS: (1045, 1130, 1698, 1862, 1820, 3118, 3955, 4151),
    DatabaseErrorKind.DATABASE: (1049,),
    DatabaseErrorKind.RIGHTS: (1044, 1142, 1143, 1227, 1290, 1370),
    DatabaseErrorKind.MISSING: (1051, 1054, 1109, 1146, 1305),
    DatabaseErrorKind.RULE: (1048, 1062, 1169, 1364, 1451, 1452, 3819, 4025),
    DatabaseErrorKind.VALUE: (1264, 1265, 1292, 1365, 1366, 1367, 1406, 1411, 3140, 3156),
    DatabaseErrorKind.SYNTAX: (1064, 1065, 1149, 1210, 1295),
    DatabaseErrorKind.BUSY: (1040, 1203, 1205, 1213, 1226),
}
_KIND_BY_CODE = {code: kind for kind, codes in _CODES_BY_KIND.items() for code in codes}
_TIMEOUT_CODES = (1969, 3024)
_SHUTDOWN_CODES = (1053, 1077, 1079, 1129, 1152, 1153, 1158, 1159, 1160, 1161, 1184, 1317, 1927, 3169, 4031)
_DRIVER_CODES = range(2000, 3000)
"""Error codes of the driver itself, without a message of the server."""


def error_kind(code: int) -> DatabaseErrorKind:
    """The error kind of a server error code."""
    return _KIND_BY_CODE.get(code, DatabaseErrorKind.OTHER)


@contextmanager
def translate_errors(ctx: Context, host: str, sql: str, seconds: float = STATEMENT_SECONDS) -> Iterator[None]:
    """Turn the driver's errors into `AppError`s."""
    from aiomysql import MySQLError

    try:
        yield
    except TooMuchReceived as error:
        raise too_much_data_error(ctx, host) from error
    except MySQLError as error:
        raise _error_from_server(ctx, host, error, sql, seconds) from error
    except OSError as error:  # includes timeouts and encryption failures
        raise _network_error(ctx, host, error, seconds) from error


def _error_from_server(ctx: Context, host: str, error: Any, sql: str, seconds: float) -> Exception:
    code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    said = str(error.args[-1]) if error.args else type(error).__name__
    if isinstance(error.__cause__, OSError):
        return _network_error(ctx, host, error.__cause__, seconds)
    if code in _TIMEOUT_CODES:
        return unreachable_error(ctx, TimeoutError(said), host, seconds)
    if code in _DRIVER_CODES or code in _SHUTDOWN_CODES:
        return connection_lost_error(ctx, said, host)
    details = {"code": code, "sqlstate": getattr(error, "sqlstate", None)}
    return database_error(ctx, error_kind(code), said, details=details, sql=sql)


def _network_error(ctx: Context, host: str, error: OSError, seconds: float) -> Exception:
    from .driver import NO_TLS

    if NO_TLS in str(error):
        return no_tls_error(ctx, host)
    return unreachable_error(ctx, error, host, seconds)
