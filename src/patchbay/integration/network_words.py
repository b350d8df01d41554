"""What kept an HTTP answer from arriving, told in words."""

import httpx

from patchbay.domain.errors import AppError, Unreachable, ValidationFailed
from patchbay.integration.connecting import TRY_LATER, cause_in_words, chain, sentence, timed_out

_PLAIN = "Is it http:// rather than https://?"


def told(error: Exception, *, app: str, host: str, seconds: float) -> AppError:
    """The `AppError` for anything httpx raises: `TimedOut`, `Unreachable` or `ValidationFailed`."""
    if isinstance(error, (TimeoutError, httpx.TimeoutException)):
        return timed_out(app, seconds)
    if isinstance(
        error, (httpx.UnsupportedProtocol, httpx.InvalidURL, httpx.LocalProtocolError, UnicodeError)
    ):
        return ValidationFailed(
            {"url": [f"The request to {app} cannot be sent like this: {sentence(str(error))}"]},
            todo="Check the address and the headers of this step or connection.",
        )
    happened, meaning = _unreachable(list(chain(error)), app, host)
    return Unreachable(happened, meaning=meaning, todo=TRY_LATER)


def _unreachable(causes: list[BaseException], app: str, host: str) -> tuple[str, str]:
    """What happened and what it means, by the deepest cause that says something."""
    if words := cause_in_words(causes, host, tls=_PLAIN):
        return words
    for cause in causes:
        if isinstance(cause, httpx.ProxyError):
            return f"The proxy did not let the request to {host} through.", sentence(str(cause))
        if isinstance(cause, (httpx.DecodingError, httpx.RemoteProtocolError)):
            return f"{app} broke off its answer or garbled it.", sentence(str(cause))
    return f"{app} cannot be reached at {host}.", sentence(str(causes[0]))
