"""Signed-in SMTP connections, and errors with the server's messages."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import AppError, ThirdPartyError, Unreachable
from patchbay.integration import Context
from patchbay.integration.mail_server import (
    MailServer,
    Security,
    mail_server_from,
    no_greeting_error,
    tls_context,
)
from patchbay.integration.masking import Masker, secrets_of
from patchbay.integration.network_errors import error_from_socket
from patchbay.integration.outgoing_addresses import address_attempts

if TYPE_CHECKING:
    from ssl import SSLContext

    from aiosmtplib import SMTP, SMTPException, SMTPResponseException

PORTS = {Security.STARTTLS: 587, Security.TLS: 465, Security.NONE: 25}
DEFAULT_SECURITY = Security.STARTTLS
CONNECT_SECONDS = 15.0
RESPONSE_TIMEOUT_SECONDS = 30.0
"""Timeout of one response of the server."""
TOTAL_TIMEOUT_SECONDS = 300.0
"""Timeout of signing in and sending together."""
_REJECTED_SIGN_IN_CODES = (530, 534, 535, 538)
_SIGN_IN_METHODS = ("plain", "login", "cram-md5")
_MEANINGS = {
    "sign in": ("The server rejected the user name or password.", "Check both, then reconnect."),
    "sender": ("The server doesn't allow sending from this address.", "Use an address of this account."),
    "recipient": (
        "The server rejected a recipient, so the message wasn't sent to anyone.",
        "Check the address.",
    ),
    "message": (
        "The server rejected the message, so it wasn't sent to anyone.",
        "Check the server's response, then try again.",
    ),
    "connect": ("The server is refusing connections from this computer.", "Try again later."),
}


@dataclass(frozen=True)
class Session:
    """A connection and its server."""

    client: "SMTP"
    server: MailServer
    masker: Masker

    def rejection(self, error: "SMTPResponseException", phase: str, command: str) -> ThirdPartyError:
        """The server's response as an error. `phase` is a key of `_MEANINGS`, `command` the command sent."""
        return _server_error(error, self.server, self.masker, phase, command)

    @property
    def largest(self) -> int | None:
        """The size limit of the server for one message in bytes; None if it has none."""
        size = self.client.esmtp_extensions.get("size", "").strip()
        return int(size) or None if size.isdecimal() else None


@asynccontextmanager
async def session(ctx: Context) -> AsyncIterator[Session]:
    """Connect, encrypt as configured, and sign in; close at the end.

    Raises `Unreachable`, `TimedOut`, `ThirdPartyError` with the reply code in its details, and
    `ValidationFailed`.
    """
    from aiosmtplib import SMTPException

    server = mail_server_from(ctx.auth.data, PORTS, DEFAULT_SECURITY)
    masker = Masker(secrets_of(ctx.app, ctx.auth.data))
    client = None
    try:
        async with asyncio.timeout(TOTAL_TIMEOUT_SECONDS):
            client = await _connect_to_first(ctx, server)
            open_session = Session(client, server, masker)
            await _encrypt(open_session)
            await _sign_in(open_session)
            yield open_session
            with suppress(SMTPException):
                await client.quit()
    except (SMTPException, OSError) as error:
        raise _translate_error(error, server, masker) from error
    finally:
        if client is not None:
            client.close()


async def _connect_to_first(ctx: Context, server: MailServer) -> "SMTP":
    """Connect to the first address that responds, of those that are allowed."""
    if ctx.offline is not None:
        return ctx.offline.mail_client(server)
    addresses = await ctx.address_policy.addresses_of(server.host, server.port)
    encrypts = server.security is not Security.NONE
    tls = await asyncio.to_thread(tls_context, server) if encrypts else None
    for address, attempt in address_attempts(addresses):
        with attempt:
            return await _connect(server, address, tls)
    raise AssertionError("the last attempt returns or raises")


async def _connect(server: MailServer, address: str, tls: "SSLContext | None") -> "SMTP":
    from aiosmtplib import SMTP

    client = SMTP(
        hostname=address,
        port=server.port,
        use_tls=server.security is Security.TLS,
        start_tls=False,
        local_hostname="[127.0.0.1]",
        timeout=RESPONSE_TIMEOUT_SECONDS,
        tls_context=tls,
    )
    try:
        await client.connect(timeout=CONNECT_SECONDS)
    except BaseException:
        client.close()
        raise
    return client


async def _encrypt(session: Session) -> None:
    client, server = session.client, session.server
    await client.ehlo()
    if server.security is not Security.STARTTLS:
        return
    if not client.supports_extension("starttls"):
        raise ThirdPartyError(
            app=server.host,
            said="",
            meaning="It doesn't support STARTTLS on this port, so nothing was sent.",
            todo="Choose another port or encryption setting.",
        )
    await client.starttls()
    await client.ehlo()


async def _sign_in(session: Session) -> None:
    """Sign in with one attempt, by the first method both sides support.

    A second attempt would count as a second wrong password.
    """
    from aiosmtplib import SMTPAuthenticationError

    client, server = session.client, session.server
    if not server.username:
        return
    offered = [method.lower() for method in client.server_auth_methods]
    method = next((method for method in _SIGN_IN_METHODS if method in offered), None)
    if method is None:
        plain = server.security is Security.NONE
        raise ThirdPartyError(
            app=server.host,
            said="",
            meaning="It doesn't support sign-in without encryption on this port."
            if plain
            else "It doesn't support password sign-in on this port.",
            todo="Choose STARTTLS or TLS."
            if plain
            else "Choose another port, or leave user and password empty.",
            details={"offers": list(offered)},
        )
    sign_in = {"plain": client.auth_plain, "login": client.auth_login, "cram-md5": client.auth_crammd5}[
        method
    ]
    try:
        await sign_in(server.username, server.password)
    except SMTPAuthenticationError as error:
        raise session.rejection(error, "sign in", f"AUTH {method.upper()}") from error


def _server_error(
    error: "SMTPResponseException", server: MailServer, masker: Masker, phase: str, command: str
) -> ThirdPartyError:
    meaning, todo = _MEANINGS[phase]
    if error.code >= 500 and phase in ("sender", "recipient") and not server.username:
        todo = "The server may require sign-in: reconnect with a user name and password."
    message_text = masker.text(" ".join(str(error.message).split()))
    if 400 <= error.code < 500:
        todo = "The server reports a temporary error. Try again later."
    details: JsonObject = {"code": error.code, "message": message_text}
    return ThirdPartyError(
        app=server.host,
        said=f"{error.code} {message_text}",
        meaning=meaning,
        todo=todo,
        details=details,
        request=masker.text(command),
        rejects_credentials=error.code in _REJECTED_SIGN_IN_CODES,
    )


def _translate_error(error: "SMTPException | OSError", server: MailServer, masker: Masker) -> AppError:
    from aiosmtplib import SMTPConnectTimeoutError, SMTPResponseException

    if isinstance(error, SMTPResponseException) and error.code < 0:  # an invalid response
        said = masker.text(" ".join(str(error.message).split()))
        return Unreachable(
            f"{server.host_and_port} doesn't respond like a mail server.",
            meaning=f"The server responded “{said}”.",
            todo="Check the host and the port.",
        )
    if isinstance(error, SMTPResponseException):
        return _server_error(error, server, masker, "connect", "EHLO")
    if isinstance(error, SMTPConnectTimeoutError):
        return no_greeting_error(server, CONNECT_SECONDS)
    return error_from_socket(
        error, app=server.host, host=server.host_and_port, seconds=RESPONSE_TIMEOUT_SECONDS
    )
