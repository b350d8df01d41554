"""Turns error responses, and responses of unexpected shape, into `ThirdPartyError`s."""

import html
import itertools
import re
from collections.abc import Iterator
from email.utils import parsedate_to_datetime

from patchbay.domain.base import EpochMs, Json
from patchbay.domain.errors import AppError, ThirdPartyError
from patchbay.domain.json_limits import read_json
from patchbay.integration.masking import Masker
from patchbay.integration.request import Response

MAX_MESSAGE_LENGTH = 300
MAX_RETRY_AFTER_SECONDS = 86_400.0
"""Max. seconds. A Retry-After of years would stop a trigger permanently."""
_MAX_DATE_LENGTH = 100
_MAX_DETAILS_BYTES = 64 * 1024
_MAX_TEXT_DETAILS_LENGTH = 2000
_MAX_DEPTH = 6
_MESSAGE_KEYS = (
    "error_description",
    "message",
    "error_message",
    "errorMessage",
    "error_msg",
    "error",
    "msg",
    "detail",
    "details",
    "title",
    "reason",
    "description",
    "fault",
    "faultstring",
)
_TITLE = re.compile(r"<title\b[^<>]{0,200}>", re.IGNORECASE)
_INVISIBLE_ELEMENTS = (("<script", "</script"), ("<style", "</style"), ("<!--", "-->"))
"""The start and end of page elements that aren't shown."""
_TAG = re.compile(r"<[^<>]*>?")

_MEANINGS = {
    400: ("The service rejected the request as invalid.", "Check the values of this step."),
    401: ("The service rejected the credentials.", "Check that they're still valid, then reconnect."),
    402: ("The account needs a paid plan or has no credit left.", "Check the plan there."),
    403: (
        "The account doesn't have permission for this.",
        "Check the account's permissions in the service, or use another connection.",
    ),
    404: ("Nothing was found at this address.", "Check the IDs and addresses in this step or connection."),
    408: ("The service timed out while waiting for the request.", "Try again later."),
    409: ("The request conflicts with existing data.", "Check whether this has already been done."),
    413: ("The request is too large.", "Send less in one step."),
    422: ("The service rejected one of the values.", "Check the values of this step."),
    429: ("The service's rate limit was exceeded.", "Try again later, or run the flow less often."),
}
_SERVER_ERROR = ("The service had an internal error.", "Try again later.")


def error_from_response(
    response: Response, request_line: str, masker: Masker, now: EpochMs
) -> ThirdPartyError:
    """The error for a response with a failing status, with secrets masked."""
    meaning, todo = _MEANINGS.get(response.status, _SERVER_ERROR if response.status >= 500 else ("", ""))
    return ThirdPartyError(
        app=response.app,
        said=shorten(masker.text(extract_message(response))),
        meaning=meaning,
        todo=todo,
        status=response.status,
        details=_details(response, masker),
        request=masker.text(request_line),
        retry_after=retry_after(response.headers.get("retry-after", ""), now),
        redirected_to=response.redirected_to,
    )


_REJECTED = re.compile(r"auth|token|api.?key|credential|login|permission|not.?allowed|scope", re.IGNORECASE)
"""Words in an error with a success status that say that the credentials were rejected."""


def error_from_success(
    response: Response, message: str, request_line: str, masker: Masker
) -> ThirdPartyError:
    """The error for a response whose status says success and whose content says otherwise."""
    is_rejection = bool(_REJECTED.search(message))
    meaning, todo = _MEANINGS[401 if is_rejection else 422]
    return ThirdPartyError(
        app=response.app,
        said=shorten(masker.text(" ".join(message.split()))),
        meaning=meaning,
        todo=todo,
        status=response.status,
        details=_details(response, masker),
        request=masker.text(request_line),
        rejects_credentials=is_rejection,
    )


def extract_message(response: Response) -> str:
    """The human-readable message of an error response; empty if there is none."""
    text = response.text[:_MAX_DETAILS_BYTES].strip()
    try:
        return _one_line(_find_message(read_json(text), 0)) if text else ""
    except ValueError:
        return _one_line(_text_from_html(text) if text.startswith("<") else text)


def shorten(text: str, limit: int = MAX_MESSAGE_LENGTH) -> str:
    """Shorten text to `limit` characters, with an ellipsis if it was cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def retry_after(value: str, now: EpochMs) -> float | None:
    """Parse a Retry-After header (seconds or a date) into seconds, a day at most."""
    value = value.strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", value, re.ASCII):
        return min(float(value), MAX_RETRY_AFTER_SECONDS)
    try:
        seconds = parsedate_to_datetime(value[:_MAX_DATE_LENGTH]).timestamp() - now / 1000
    except (ValueError, TypeError, OverflowError, OSError, IndexError):
        return None
    return min(max(0.0, seconds), MAX_RETRY_AFTER_SECONDS)


def _find_message(value: Json, depth: int) -> str:
    if isinstance(value, str):
        return value
    if depth > _MAX_DEPTH:
        return ""
    if isinstance(value, list):
        return "; ".join(filter(None, (_find_message(item, depth + 1) for item in value[:3])))
    return _find_message_in_object(value, depth + 1) if isinstance(value, dict) else ""


def _find_message_in_object(body: dict[str, Json], depth: int) -> str:
    """The message, followed by the individual errors if the service lists them."""
    message = next(filter(None, (_find_message(body.get(key), depth) for key in _MESSAGE_KEYS)), "")
    error_messages = _join_error_messages(body.get("errors"), depth)
    if message and error_messages and error_messages not in message:
        return f"{message}: {error_messages}"
    return message or error_messages


def _join_error_messages(errors: Json, depth: int) -> str:
    """Parse `errors`: text, a list of anything, or messages by field."""
    if not isinstance(errors, dict):
        return _find_message(errors, depth)
    if direct_message := _find_message_in_object(errors, depth + 1) if depth < _MAX_DEPTH else "":
        return direct_message
    by_field = ((key, _find_message(value, depth)) for key, value in list(errors.items())[:3])
    return "; ".join(f"{key}: {message_text}" for key, message_text in by_field if message_text)


def _text_from_html(text: str) -> str:
    """The title of a page, or its text. Takes linear time for any page."""
    title = _TITLE.search(text)
    end = text.find("<", title.end()) if title else -1
    visible_text = text[title.end() : end] if title and end >= 0 else _TAG.sub(" ", _remove_invisible(text))
    return html.unescape(" ".join(visible_text[:_MAX_TEXT_DETAILS_LENGTH].split()))


def _remove_invisible(text: str) -> str:
    for opening, closing in _INVISIBLE_ELEMENTS:
        lower = text.lower()
        pieces = list[str]()
        position = 0
        if len(lower) != len(text):  # some characters are longer in lower case
            lower = text
        while (begin := lower.find(opening, position)) >= 0:
            pieces.append(text[position:begin])
            end = lower.find(closing, begin + len(opening))
            close = -1 if end < 0 else lower.find(">", end)
            position = len(text) if close < 0 else close + 1
        text = " ".join([*pieces, text[position:]])
    return text


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _details(response: Response, masker: Masker) -> Json:
    """The response body: JSON, or the beginning of its text. Masked before it is truncated."""
    if not response.content:
        return None
    if len(response.content) <= _MAX_DETAILS_BYTES:
        try:
            return masker.json(read_json(response.content))
        except (ValueError, RecursionError):
            pass
    return masker.text(response.text[:_MAX_DETAILS_BYTES])[:_MAX_TEXT_DETAILS_LENGTH]


# Responses of unexpected shape, as opposed to bugs in the app

SHAPE_ERRORS = (KeyError, IndexError, TypeError, AttributeError)
"""Errors raised by reading data of an unexpected shape."""
_MAX_NAMES_SEARCHED = 10_000
"""Max. values of a response that are searched for a missing name."""
_MAX_NAMES_SHOWN = 5
_MAX_NAME_LENGTH = 40
_MAX_PARSED_BYTES = 1 << 20


class UnexpectedResponse(ThirdPartyError):
    """A service's JSON response lacks data that the app reads."""

    def __init__(self, response: Response, expected: str, received: str) -> None:
        super().__init__(
            app=response.app,
            said="",
            status=response.status,
            meaning=f"Expected {expected}, but it sent {received}.",
            todo="Check the service's address. If it's correct, the app may not support this version of "
            "the service.",
        )
        self.happened = f"{response.app} sent an unexpected response."
        self.args = (self.happened,)


def unexpected_response_error(response: Response | None, error: Exception) -> UnexpectedResponse | None:
    """The error to show instead of an app's own error, if the response has an unexpected shape.

    None if the response does contain the data, so it's a bug in the app.
    """
    if response is None or len(response.content) > _MAX_PARSED_BYTES:
        return None
    try:
        value: Json = response.json()
    except AppError:
        return None
    if isinstance(error, KeyError):
        name = error.args[0] if error.args else None
        if not isinstance(name, str) or name in itertools.islice(_all_keys(value), _MAX_NAMES_SEARCHED):
            return None
        return UnexpectedResponse(response, f"an object with “{_shorten_name(name)}”", describe_shape(value))
    if isinstance(error, IndexError):
        return UnexpectedResponse(response, "at least one item", describe_shape(value)) if not value else None
    if isinstance(value, dict) and value and None not in value.values():
        return None  # an object, as most apps expect, so the cause is unknown
    expected = "an object with all its values" if isinstance(value, dict) else "an object"
    return UnexpectedResponse(response, expected, describe_shape(value))


def _all_keys(value: Json) -> Iterator[str]:
    """The names in all objects of a value, breadth first."""
    level = [value]
    while level:
        objects = [each for each in level if isinstance(each, dict)]
        for each in objects:
            yield from each
        below = itertools.chain(
            *(each.values() for each in objects), *(each for each in level if isinstance(each, list))
        )
        level = list(
            itertools.islice((each for each in below if isinstance(each, (dict, list))), _MAX_NAMES_SEARCHED)
        )


def describe_shape(value: Json) -> str:
    """A value in words, without its data: “an object with “status” and “items””."""
    if isinstance(value, dict):
        names = [f"“{_shorten_name(name)}”" for name in itertools.islice(value, _MAX_NAMES_SHOWN)]
        more = " and others" if len(value) > _MAX_NAMES_SHOWN else ""
        return f"an object with {', '.join(names)}{more}" if names else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value):,} item{'' if len(value) == 1 else 's'}" if value else "an empty list"
    kinds = {str: "a text", bool: "true or false", int: "a number", float: "a number"}
    return kinds.get(type(value), "nothing (null)")


def _shorten_name(name: str) -> str:
    return name if len(name) <= _MAX_NAME_LENGTH else f"{name[:_MAX_NAME_LENGTH]}…"
