"""What kept an answer from arriving, told in words."""

import socket
import ssl
from collections.abc import Iterator

import httpx

from patchbay.domain.errors import AppError, TimedOut, Unreachable, ValidationFailed

_TRY_LATER = "Check the address and your network, then try again."


def told(error: Exception, *, app: str, host: str, seconds: float) -> AppError:
    """The `AppError` for anything httpx raises: `TimedOut`, `Unreachable` or `ValidationFailed`."""
    if isinstance(error, (TimeoutError, httpx.TimeoutException)):
        return timed_out(app, seconds)
    if isinstance(error, (httpx.UnsupportedProtocol, httpx.InvalidURL, httpx.LocalProtocolError)):
        return ValidationFailed(
            {"url": [f"The request to {app} cannot be sent like this: {_sentence(str(error))}"]},
            todo="Check the address and the headers of this step or connection.",
        )
    happened, meaning = _unreachable(list(_chain(error)), app, host)
    return Unreachable(happened, meaning=meaning, todo=_TRY_LATER)


def timed_out(app: str, seconds: float) -> TimedOut:
    return TimedOut(
        f"{app} did not answer in full within {seconds:g} seconds.",
        meaning="It is busy, or something between here and there holds the connection up.",
        todo="Try again later.",
    )


def _unreachable(chain: list[BaseException], app: str, host: str) -> tuple[str, str]:
    """What happened and what it means, by the deepest cause that says something."""
    for cause in chain:
        if isinstance(cause, socket.gaierror):
            return f"The address {host} was not found.", "The name is mistyped, or the network is down."
        if isinstance(cause, ConnectionRefusedError):
            return f"Nothing answers at {host}.", "The service is not running there, or on another port."
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"The certificate of {host} cannot be trusted.", _sentence(cause.verify_message)
        if isinstance(cause, ssl.SSLError):
            return f"No secure connection to {host} came about.", "Is it http:// rather than https://?"
        if isinstance(cause, httpx.ProxyError):
            return f"The proxy did not let the request to {host} through.", _sentence(str(cause))
        if isinstance(cause, (httpx.DecodingError, httpx.RemoteProtocolError)):
            return f"{app} broke off its answer or garbled it.", _sentence(str(cause))
    return f"{app} cannot be reached at {host}.", _sentence(str(chain[0]))


def _chain(error: BaseException, depth: int = 0) -> Iterator[BaseException]:
    """The error and what caused it, groups included, deepest last."""
    yield error
    if depth > 10:
        return
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    for cause in (*inner, error.__cause__ or error.__context__):
        if cause is not None:
            yield from _chain(cause, depth + 1)


def _sentence(text: str) -> str:
    text = text.strip()
    return text if not text or text[-1] in ".!?" else text + "."
