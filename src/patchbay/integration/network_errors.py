"""Turns socket and TLS failures into `AppError`s. Independent of HTTP: database and mail apps use it too."""

import errno
import re
import socket
import ssl
from collections.abc import Iterator

from patchbay.domain.certificates import rejection_reason
from patchbay.domain.errors import AppError, TimedOut, Unreachable

TRY_LATER = "Check the address and your network, then try again."
_CONNECT_ERRNO = re.compile(r"\[Errno (\d+)\] Connect call failed")
_TLS_HINT = "The port may not support this encryption setting."


def error_from_socket(error: Exception, *, app: str, host: str, seconds: float) -> AppError:
    """The `AppError` for a socket or TLS error, wrapped or not: `TimedOut` or `Unreachable`.

    `host` is shown as given, so it may include the port.
    """
    found = list(cause_chain(error))
    if any(isinstance(cause, TimeoutError) for cause in found):
        return timeout_error(app, seconds)
    explained = explain_causes(found, host)
    if explained is None and any(isinstance(cause, (ConnectionError, EOFError)) for cause in found):
        explained = (
            f"{app} closed the connection.",
            "It may be restarting, or may not support this kind of connection.",
        )
    happened, meaning = explained or (f"Couldn't reach {app} at {host}.", as_sentence(str(found[-1])))
    return Unreachable(happened, meaning=meaning, todo=TRY_LATER)


def explain_causes(causes: list[BaseException], host: str, *, tls: str = _TLS_HINT) -> tuple[str, str] | None:
    """(what happened, meaning) for the first network or TLS error in `causes`; None without one."""
    for cause in causes:
        if isinstance(cause, socket.gaierror):
            return f"The host {host} wasn't found.", "The name may be misspelt, or the network is down."
        if isinstance(cause, ConnectionRefusedError) or _all_addresses_refused(cause):
            return f"{host} refused the connection.", "The service isn't running, or uses another port."
        if isinstance(cause, ssl.SSLCertVerificationError):
            reason = rejection_reason(cause)
            return f"The certificate of {host} isn't trusted.", as_sentence(reason[:1].upper() + reason[1:])
        if isinstance(cause, ssl.SSLError):
            return f"Couldn't establish a secure connection to {host}.", tls
    return None


def _all_addresses_refused(cause: BaseException) -> bool:
    """Whether it's asyncio's combined error that all addresses of a name refused the connection."""
    codes = _CONNECT_ERRNO.findall(str(cause)) if type(cause) is OSError else []
    return bool(codes) and all(int(code) == errno.ECONNREFUSED for code in codes)


def timeout_error(app: str, seconds: float) -> TimedOut:
    """The error for a request that took longer than `seconds`."""
    return TimedOut(
        f"{app} timed out after {seconds:g} seconds.",
        meaning="The service is busy, or the network connection is slow.",
        todo="Try again later.",
    )


def cause_chain(error: BaseException, depth: int = 0) -> Iterator[BaseException]:
    """The error and its causes, including exception groups, deepest last."""
    yield error
    if depth > 10:
        return
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    for cause in (*inner, error.__cause__ or error.__context__):
        if cause is not None:
            yield from cause_chain(cause, depth + 1)


def as_sentence(text: str) -> str:
    """The text with a full stop, unless it ends with another mark."""
    text = text.strip()
    return text if not text or text[-1] in ".!?" else text + "."
