"""Signed-in IMAP sessions, and errors with the server's messages.

IMAPClient (BSD) implements the protocol. It blocks, so each connection has its own thread. The maintained
library that doesn't block is under the GPL, and the standard library of Python 3.11 doesn't support IDLE.
"""

import asyncio
import logging
import re
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import AppError, ThirdPartyError, Unreachable, ValidationFailed
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

from .threads import run_in_thread

if TYPE_CHECKING:
    from imapclient import IMAPClient

T = TypeVar("T")

PORTS = {Security.TLS: 993, Security.STARTTLS: 143, Security.NONE: 143}
DEFAULT_SECURITY = Security.TLS
CONNECT_SECONDS = 15.0
RESPONSE_TIMEOUT_SECONDS = 30.0
"""Timeout of one response of the server."""
TOTAL_TIMEOUT_SECONDS = 180.0
"""Timeout of signing in and the work together."""
_CODE = re.compile(r"\[([A-Z][A-Z0-9-]*)[^\]]*\]")
_WRAPPED = re.compile(r"b(['\"])(.*)\1", re.DOTALL)
_COMMAND = re.compile(r"^[\w ]{1,30}(?: command error| failed| => (?:NO|BAD)):\s*")
_MAX_MESSAGE_LENGTH = 300
_TEMPORARY = ("UNAVAILABLE", "INUSE", "LIMIT", "SERVERBUG", "CONTACTADMIN")

logging.getLogger("imapclient").setLevel(logging.WARNING)  # its debug log contains search terms


class CancellableSocket:
    """A thread's connection, which another thread can cut."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._socket: socket.socket | None = None
        self._is_shut_down = False

    def attach(self, connected: socket.socket) -> None:
        """Set the socket that `cut` closes."""
        with self._lock:
            self._socket = connected
            if self._is_shut_down:
                self._shut()

    def cut(self) -> None:
        """End all waiting reads and writes immediately."""
        with self._lock:
            self._is_shut_down = True
            self._shut()

    def _shut(self) -> None:
        if self._socket is not None:
            with suppress(OSError, ValueError):
                # Below TLS, whose closing message would interfere with the other thread.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


async def run_signed_in(
    ctx: Context, work: Callable[["IMAPClient"], T], *, seconds: float | None = TOTAL_TIMEOUT_SECONDS
) -> T:
    """Connect, encrypt as configured, sign in, run `work(client)` in a thread, and close.

    Raises `Unreachable`, `TimedOut`, `ThirdPartyError` with the server's code in its details, and
    `ValidationFailed`. `seconds` None is for watching.
    """
    from imaplib import IMAP4

    server = mail_server_from(ctx.auth.data, PORTS, DEFAULT_SECURITY)
    line = CancellableSocket()
    try:
        async with asyncio.timeout(seconds):
            addresses = await ctx.address_policy.addresses_of(server.host, server.port)
            return await run_in_thread(lambda: _sign_in_and_work(server, addresses, line, work), line.cut)
    except (IMAP4.error, OSError) as error:
        raise _translate_error(error, server, Masker(secrets_of(ctx.app, ctx.auth.data))) from error


def _sign_in_and_work(
    server: MailServer, addresses: Sequence[str], line: CancellableSocket, work: Callable[["IMAPClient"], T]
) -> T:
    """Sign in and run `work`, in the thread. Signs out after success, and disconnects after a failure."""
    client = _connect_to_first(server, addresses)
    try:
        line.attach(client.socket())
        if server.security is Security.STARTTLS:
            if not client.has_capability("STARTTLS"):
                raise ThirdPartyError(
                    app=server.host,
                    said="",
                    meaning="It doesn't support STARTTLS on this port, so nothing was sent.",
                    todo="Choose another port or encryption setting.",
                )
            client.starttls(tls_context(server))
            line.attach(client.socket())
        _sign_in(client, server)
        result = work(client)
        client.logout()
    except BaseException:
        with suppress(Exception):
            client.shutdown()
        raise
    return result


def _connect_to_first(server: MailServer, addresses: Sequence[str]) -> "IMAPClient":
    """Connect to the first address that responds."""
    try:
        for address, attempt in address_attempts(addresses):
            with attempt:
                return _connect(server, address)
    except TimeoutError:
        raise no_greeting_error(server, CONNECT_SECONDS) from None
    raise AssertionError("the last attempt returns or raises")


def _connect(server: MailServer, address: str) -> "IMAPClient":
    from imapclient import SocketTimeout

    from .bounded_client import BoundedIMAPClient

    client = BoundedIMAPClient(
        address,
        port=server.port,
        ssl=server.security is Security.TLS,
        ssl_context=tls_context(server) if server.security is Security.TLS else None,
        timeout=SocketTimeout(CONNECT_SECONDS, RESPONSE_TIMEOUT_SECONDS),
    )
    client.normalise_times = False
    return client


def _sign_in(client: "IMAPClient", server: MailServer) -> None:
    """Sign in with one attempt by one method, so that a wrong password counts once."""
    if client.has_capability("AUTH=PLAIN"):
        client.plain_login(server.username, server.password)
        return
    if client.has_capability("LOGINDISABLED"):
        raise ThirdPartyError(
            app=server.host,
            said="",
            meaning="It doesn't accept passwords without encryption.",
            todo="Choose TLS or STARTTLS.",
        )
    try:
        client.login(server.username, server.password)
    except UnicodeError:
        raise ValidationFailed(
            {"password": [f"{server.host} accepts only ASCII characters in passwords."]}
        ) from None


def _translate_error(error: Exception, server: MailServer, masker: Masker) -> AppError:
    from imaplib import IMAP4

    if not isinstance(error, IMAP4.error):
        return error_from_socket(
            error, app=server.host, host=server.host_and_port, seconds=RESPONSE_TIMEOUT_SECONDS
        )
    said = masker.text(server_message(error))[:_MAX_MESSAGE_LENGTH]
    if isinstance(error, IMAP4.abort) or isinstance(error.__context__, IMAP4.abort):
        said = "" if said.startswith("socket error") else said
        return Unreachable(
            f"{server.host} closed the connection.",
            meaning=f"The server responded “{said}”." if said else "",
            todo="Try again. If it fails again, check whether the server blocks this computer.",
        )
    return _server_error(error, said, server)


def _server_error(error: Exception, said: str, server: MailServer) -> ThirdPartyError:
    from imapclient.exceptions import LoginError

    found = _CODE.search(said)
    code = found[1] if found else ""
    is_sign_in = isinstance(error, LoginError)
    meaning, todo = "The server rejected the command.", "Check the values of this step."
    if is_sign_in:
        meaning, todo = (
            "The server rejected the user name or password.",
            "Check both, then reconnect.",
        )
    if code in _TEMPORARY:
        meaning, todo = "The mailbox is temporarily unavailable.", "Try again later."
    details: JsonObject = {"code": code, "message": said}
    return ThirdPartyError(
        app=server.host,
        said=said,
        meaning=meaning,
        todo=todo,
        details=details,
        request="LOGIN" if is_sign_in else "",
        rejects_credentials=is_sign_in and code not in _TEMPORARY,
    )


def server_message(error: Exception) -> str:
    """The server's message, without the text that the libraries add."""
    first = error.args[0] if error.args else ""
    text = first.decode("utf-8", "replace") if isinstance(first, bytes) else str(first)
    if wrapped := _WRAPPED.fullmatch(text):
        text = wrapped[2]
    return " ".join(_COMMAND.sub("", text).split())
