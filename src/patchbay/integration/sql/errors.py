"""Turns database errors into `AppError`s."""

from enum import Enum

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import NotSupported, ThirdPartyError, Unreachable
from patchbay.integration.context import Context
from patchbay.integration.masking import Masker, secrets_of
from patchbay.integration.sql.server import MAX_SESSION_BYTES


class DatabaseErrorKind(Enum):
    """Kinds of database errors, each with its meaning and what to do."""

    CREDENTIALS = ("The server rejected the user name or password.", "Check both, then reconnect.")
    DATABASE = ("The server has no database with this name.", "Check the name of the database.")
    RIGHTS = (
        "The database user doesn't have permission for this.",
        "Grant the permission, or use another connection.",
    )
    MISSING = ("A table, column, or function doesn't exist.", "Check the names in this step.")
    RULE = ("The change violates a constraint of the table.", "Check the values of this step.")
    VALUE = ("A value doesn't fit its column.", "Check the values of this step.")
    SYNTAX = ("The statement isn't valid.", "Check the statement of this step.")
    BUSY = ("The server is out of resources.", "Try again later.")
    OTHER = ("", "")


def database_error(
    ctx: Context, kind: DatabaseErrorKind, said: str, *, details: JsonObject, sql: str = ""
) -> ThirdPartyError:
    """The error for a server's message, with secrets masked. `sql` contains placeholders, not values.

    After signing in, a rejection can't be about the credentials, only about permissions.
    """
    from patchbay.integration.third_party_errors import shorten

    masker = Masker(secrets_of(ctx.app, ctx.auth.data))
    if sql and kind is DatabaseErrorKind.CREDENTIALS:
        kind = DatabaseErrorKind.RIGHTS
    meaning, todo = kind.value
    return ThirdPartyError(
        app=ctx.app.name,
        said=shorten(masker.text(said)),
        meaning=meaning,
        todo=todo,
        details=masker.json({key: value for key, value in details.items() if value}),
        request=shorten(masker.text(" ".join(sql.split()))),
        rejects_credentials=kind is DatabaseErrorKind.CREDENTIALS,
    )


def unreachable_error(ctx: Context, error: Exception, host: str, seconds: float) -> Exception:
    """The `Unreachable` or `TimedOut` error for a network failure."""
    # Loads the HTTP client, which database apps don't need otherwise.
    from patchbay.integration.http_errors import error_from_httpx

    return error_from_httpx(error, app=ctx.app.name, host=host, seconds=seconds)


def connection_lost_error(ctx: Context, said: str, host: str) -> Unreachable:
    """The error for a lost or rejected connection, for example while the server shuts down."""
    masker = Masker(secrets_of(ctx.app, ctx.auth.data))
    return Unreachable(
        f"The connection to {ctx.app.name} at {host} was lost: {masker.text(said).rstrip('.')}.",
        meaning="The server was stopped or restarted, or the network failed.",
        todo="Check that the server is running, then try again.",
    )


def too_much_data_error(ctx: Context, host: str) -> NotSupported:
    """The error for a server that sends too much data in one session."""
    return NotSupported(
        f"{ctx.app.name} at {host} sent more than {MAX_SESSION_BYTES // 1024**2} MB at once.",
        meaning="Patchbay closed the connection because that much data doesn't fit into memory.",
        todo="Request less, for example with LIMIT, or check the server's address.",
    )


def no_tls_error(ctx: Context, host: str) -> Unreachable:
    """The error for a server without TLS when the connection requires it."""
    return Unreachable(
        f"{ctx.app.name} at {host} doesn't support encrypted connections.",
        meaning="The connection requires SSL, so nothing was sent.",
        todo="Enable SSL on the server, or turn it off in the connection.",
    )
