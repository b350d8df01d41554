"""Failed requests as errors of `domain.errors`, whatever the server's response looks like."""

import json
from collections.abc import Mapping
from typing import Any

import httpx

from patchbay.client.retries import retry_after
from patchbay.domain.blockers import Blocker
from patchbay.domain.error_wire import from_wire
from patchbay.domain.errors import (
    AlreadyTaken,
    AppError,
    AuthRequired,
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

_CHECK_ADDRESS = "Check that the server is running and that its address is correct."
_MAX_ERROR_BODY_BYTES = 64 * 1024
"""Max. bytes of an error response that are parsed."""
_MAX_TARGET_LENGTH = 200
_PUBLISH_ERRORS = ("incompleteStepsError", "insufficientStepsError")


class NotAnApiResponse(ServerFault):
    """The response isn't from the API, but a web page, for example."""


class ServerMoved(ServerFault):
    """The server redirects to another address."""


class ResponseTooLarge(ServerFault):
    """The response exceeds the size limit."""


class RequestNotUnderstood(ValidationFailed):
    """The server couldn't parse the request, such as an ID in another format than its own."""


class UnexplainedUnauthorized(AuthRequired):
    """401 without a message: the key is wrong, or the server couldn't look it up."""


def error_from_network(error: httpx.HTTPError | httpx.InvalidURL, base_url: str) -> AppError:
    """The error for a request without a usable response."""
    if isinstance(error, httpx.TimeoutException):
        return TimedOut(
            f"{base_url} didn't respond in time.", meaning="It may be busy or unreachable.", todo="Try again."
        )
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return Unreachable(
            f"The certificate of {base_url} isn't trusted.",
            meaning="Its issuer isn't trusted by this computer.",
            todo="Check the address, or add the certificate's issuer to the system.",
        )
    if isinstance(error, (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)):
        return Unreachable(
            f"The connection to {base_url} was lost.",
            meaning="The response is incomplete.",
            todo=_CHECK_ADDRESS,
        )
    if isinstance(error, httpx.DecodingError):
        return ServerFault(
            f"{base_url} sent a response that can't be decompressed.",
            meaning="It's damaged, or not compressed as declared.",
            todo="Try again. If it keeps failing, a proxy may be changing its responses.",
        )
    if isinstance(error, httpx.TransportError) and not isinstance(error, httpx.UnsupportedProtocol):
        return Unreachable(
            f"Couldn't reach {base_url}.", meaning="Nothing is listening there.", todo=_CHECK_ADDRESS
        )
    return ServerFault(f"Couldn't send a request to {base_url}.", meaning=str(error), todo=_CHECK_ADDRESS)


def error_from_response(status: int, headers: Mapping[str, str], body: bytes, base_url: str) -> AppError:
    """The error in a response: with the server's message if it has one, otherwise ours."""
    try:
        parsed = json.loads(body) if len(body) <= _MAX_ERROR_BODY_BYTES else {}
    except (ValueError, RecursionError):
        parsed = {}
    if not isinstance(parsed, dict):
        parsed = {}
    if error := from_wire(parsed):
        return error
    if 300 <= status < 400:
        target = headers.get("location", "")[:_MAX_TARGET_LENGTH]
        if base_url.startswith("http://") and target.startswith("https://"):
            return ServerMoved(
                f"{base_url} requires HTTPS and redirects to {target}.",
                meaning="The API key isn't sent to another address.",
                todo="Use the address that begins with https:// for the workspace.",
            )
        return ServerMoved(
            f"{base_url} has moved to {target or 'another address'}.",
            meaning="The API key isn't sent to another address.",
            todo="Use that address for the workspace.",
        )
    if status == 422:
        return _validation_error(parsed)
    if status == 429:
        return RateLimited(
            "Too many requests to the server.", retry_after=retry_after(headers), todo="Wait a moment."
        )
    return _error_by_status(status, base_url)


def invalid_response_error(
    base_url: str, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> NotAnApiResponse:
    """The error for a response that isn't from the API, such as a web page, or that is incomplete."""
    if "html" in (headers or {}).get("content-type", "") or body.lstrip()[:1] == b"<":
        return NotAnApiResponse(
            f"{base_url} responded with a web page.",
            meaning="The API isn't there. Some servers have it under /api.",
            todo="Check the address of the workspace.",
        )
    return NotAnApiResponse(
        f"{base_url} sent a response that isn't from this API.",
        meaning="It can't be parsed, or lacks the expected data.",
        todo="Check the address of the workspace.",
    )


def response_too_large(base_url: str, limit: int) -> ResponseTooLarge:
    """The error for a response of more than `limit` bytes."""
    return ResponseTooLarge(
        f"{base_url} sent a response of more than {limit // 1024 // 1024} MB.",
        meaning="Responses of this size aren't read.",
        todo="Request less, or check the address of the workspace.",
    )


def _error_by_status(status: int, base_url: str) -> AppError:
    match status:
        case 401:
            message, todo = "The server rejected the API key.", "Enter a valid key for this server."
            return UnexplainedUnauthorized(message, todo=todo)
        case 403:
            return Forbidden("The API key doesn't allow this.", todo="Use a key with more permissions.")
        case 404 | 410:
            return NotFound("This doesn't exist any more.", todo="Refresh the list.")
        case 405 | 501:
            return NotSupported("This server doesn't support that.")
        case 409:
            return Conflict("This was changed by someone else.", todo="Refresh and try again.")
        case 413:
            message = "The request is too large for the server."
            return ValidationFailed({"general": [message]}, happened=message, todo="Send less at once.")
        case 400 | 415:
            message = "The server couldn't parse the request."
            return RequestNotUnderstood({"general": [message]}, happened=message)
        case 408 | 504:
            return TimedOut(f"{base_url} didn't respond in time.", todo="Try again.")
        case 502 | 503:
            return Unreachable(f"{base_url} is unavailable ({status}).", todo="Try again in a moment.")
    return ServerFault(
        f"The server failed with an internal error ({status}).",
        todo="Try again. If it keeps failing, see its log.",
    )


def _validation_error(body: Mapping[str, Any]) -> AppError:
    errors, meta = body.get("errors"), body.get("meta")
    kind = meta.get("type") if isinstance(meta, Mapping) else None
    if kind == ThirdPartyError.kind:
        return ThirdPartyError(app="The connected service", said=_first_text(errors), details=errors)
    by_field = {
        str(key): [str(item) for item in value] if isinstance(value, list) else [str(value)]
        for key, value in (errors.items() if isinstance(errors, Mapping) else ())
    }
    if kind in _PUBLISH_ERRORS:
        reasons = [message for messages in by_field.values() for message in messages]
        return FlowNotReady([Blocker(reason=message) for message in reasons])
    if kind == AlreadyTaken.kind and by_field:
        return AlreadyTaken(by_field)
    return ValidationFailed(by_field or {"general": ["The server rejected the request."]})


def _first_text(errors: object) -> str:
    if isinstance(errors, str):
        return errors
    if isinstance(errors, Mapping):
        return next((text for value in errors.values() if (text := _first_text(value))), "")
    if isinstance(errors, list):
        return next((text for value in errors if (text := _first_text(value))), "")
    return ""
