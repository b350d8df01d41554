"""Failed calls as the error kinds of `domain.errors`, whoever answered and however little it said."""

import json
from collections.abc import Mapping
from typing import Any

import httpx

from patchbay.client.retries import retry_after
from patchbay.domain.error_wire import from_wire
from patchbay.domain.errors import (
    AlreadyTaken,
    AppError,
    AuthRequired,
    Blocker,
    Conflict,
    FlowNotReady,
    Forbidden,
    NotFound,
    NotSupported,
    RateLimited,
    ServerFault,
    ThirdPartyError,
    TimedOut,
    Unreachable,
    ValidationFailed,
)

_CHECK_ADDRESS = "Check that the service runs and that its address is right."
_MAX_ERROR_BODY_BYTES = 64 * 1024
"""Bytes of a refusal that are read; nobody reads more words than that."""
_MAX_TARGET_LENGTH = 200
_PUBLISH_ERRORS = ("incompleteStepsError", "insufficientStepsError")


class NotAnApiResponse(ServerFault):
    """An answer came from something else than the interface: a web page, say."""


class ServerMoved(ServerFault):
    """The service sends everybody to another address."""


class ResponseTooLarge(ServerFault):
    """The answer was given up because of its size."""


class RequestNotUnderstood(ValidationFailed):
    """The service could not read the request: it met something of another form than it knows."""


class UnexplainedUnauthorized(AuthRequired):
    """401 without a word: the key is wrong, or the service couldn't look it up."""


def error_from_network(error: httpx.HTTPError | httpx.InvalidURL, base_url: str) -> AppError:
    """No answer came, or none that can be read."""
    if isinstance(error, httpx.TimeoutException):
        return TimedOut(
            f"{base_url} did not answer in time.", meaning="It may be busy or unreachable.", todo="Try again."
        )
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return Unreachable(
            f"{base_url} cannot be trusted.",
            meaning="Its certificate was not issued by anybody this computer trusts.",
            todo="Check the address, or add the certificate's issuer to the system.",
        )
    if isinstance(error, (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)):
        return Unreachable(
            f"The connection to {base_url} was cut off.", meaning="No whole answer came.", todo=_CHECK_ADDRESS
        )
    if isinstance(error, httpx.DecodingError):
        return ServerFault(
            f"{base_url} sent an answer that cannot be unpacked.",
            meaning="It says that it is compressed, and is not, or is damaged.",
            todo="Try again; if it stays, something between here and the service changes its answers.",
        )
    if isinstance(error, httpx.TransportError) and not isinstance(error, httpx.UnsupportedProtocol):
        return Unreachable(
            f"{base_url} cannot be reached.", meaning="Nothing answers there.", todo=_CHECK_ADDRESS
        )
    return ServerFault(f"{base_url} cannot be talked to.", meaning=str(error), todo=_CHECK_ADDRESS)


def error_from_response(status: int, headers: Mapping[str, str], body: bytes, base_url: str) -> AppError:
    """The error a service answered with: its own words where it sent some, ours otherwise."""
    parsed = _json_object(body)
    if error := from_wire(parsed):
        return error
    if 300 <= status < 400:
        return _moved_error(headers.get("location", "")[:_MAX_TARGET_LENGTH], base_url)
    if status == 422:
        return _validation_error(parsed)
    if status == 429:
        return RateLimited(
            "The service was asked too often.", retry_after=retry_after(headers), todo="Wait a moment."
        )
    return _error_by_status(status, base_url)


def invalid_response_error(
    base_url: str, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> NotAnApiResponse:
    """The answer is no answer of the interface: a web page, say, or one that was cut off."""
    if "html" in (headers or {}).get("content-type", "") or body.lstrip()[:1] == b"<":
        return NotAnApiResponse(
            f"{base_url} answered with a web page.",
            meaning="The interface is not there; some services offer it under /api.",
            todo="Check the base address of the workspace.",
        )
    return NotAnApiResponse(
        f"{base_url} answered something that is not an answer of this interface.",
        meaning="It cannot be read, or says something else than was asked.",
        todo="Check the base address of the workspace.",
    )


def response_too_large(base_url: str, limit: int) -> ResponseTooLarge:
    """For an answer of more than `limit` bytes."""
    return ResponseTooLarge(
        f"{base_url} sent an answer of more than {limit // 1024 // 1024} MB.",
        meaning="So much is never read at once.",
        todo="Ask for less, or check the address of the workspace.",
    )


def _moved_error(target: str, base_url: str) -> ServerMoved:
    if base_url.startswith("http://") and target.startswith("https://"):
        return ServerMoved(
            f"{base_url} answers encrypted only and sends everybody to {target}.",
            meaning="The key is not taken along to another address.",
            todo="Use the address that begins with https:// for the workspace.",
        )
    return ServerMoved(
        f"{base_url} has moved to {target or 'another address'}.",
        meaning="The key is not taken along to another address.",
        todo="Use that address for the workspace.",
    )


def _error_by_status(status: int, base_url: str) -> AppError:
    match status:
        case 401:
            message, todo = "The API key was not accepted.", "Enter a valid key for this service."
            return UnexplainedUnauthorized(message, todo=todo)
        case 403:
            return Forbidden("The API key may not do this.", todo="Use a key with more rights.")
        case 404 | 410:
            return NotFound("This does not exist (any more).", todo="Refresh the list.")
        case 405 | 501:
            return NotSupported("This service does not offer that.")
        case 409:
            return Conflict("Somebody changed this meanwhile.", todo="Refresh and try again.")
        case 413:
            message = "This is more than the service takes at once."
            return ValidationFailed({"general": [message]}, happened=message, todo="Send less.")
        case 400 | 415:
            message = "The service could not read the request."
            return RequestNotUnderstood({"general": [message]}, happened=message)
        case 408 | 504:
            return TimedOut(f"{base_url} did not answer in time.", todo="Try again.")
        case 502 | 503:
            return Unreachable(f"{base_url} does not answer now ({status}).", todo="Try again in a moment.")
    return ServerFault(
        f"The service failed on its side ({status}).", todo="Try again; if it stays, look at its log."
    )


def _validation_error(body: Mapping[str, Any]) -> AppError:
    errors, meta = body.get("errors"), body.get("meta")
    kind = meta.get("type") if isinstance(meta, Mapping) else None
    if kind == ThirdPartyError.kind:
        return ThirdPartyError(app="The connected service", said=_first_text(errors), details=errors)
    by_field = _by_field(errors)
    if kind in _PUBLISH_ERRORS:
        reasons = [message for messages in by_field.values() for message in messages]
        return FlowNotReady([Blocker(reason=message) for message in reasons])
    if kind == AlreadyTaken.kind and by_field:
        return AlreadyTaken(by_field)
    return ValidationFailed(by_field or {"general": ["The service did not accept the request."]})


def _by_field(errors: object) -> dict[str, list[str]]:
    if not isinstance(errors, Mapping):
        return {}
    return {
        str(key): [str(item) for item in value] if isinstance(value, list) else [str(value)]
        for key, value in errors.items()
    }


def _first_text(errors: object) -> str:
    if isinstance(errors, str):
        return errors
    if isinstance(errors, Mapping):
        return next((text for value in errors.values() if (text := _first_text(value))), "")
    if isinstance(errors, list):
        return next((text for value in errors if (text := _first_text(value))), "")
    return ""


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(body) if len(body) <= _MAX_ERROR_BODY_BYTES else {}
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}
