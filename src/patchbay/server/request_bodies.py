"""Request bodies: limits, JSON, URL-encoded and multipart forms; and a response to unexpected exceptions."""

import asyncio
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import NoReturn, TypeVar
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from patchbay.domain.base import Json
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.input_problems import json_problem
from patchbay.domain.json_codec import decode_strictly
from patchbay.domain.json_limits import TooManyValues, check_value_count
from patchbay.domain.lazy_timeouts import LazyTimeout
from patchbay.server.errors import (
    BodyRejected,
    BodyTimedOut,
    BodyTooLarge,
    RequestRejected,
    bad_request,
    body_rejected_response,
    internal_error_response,
)


@dataclass(frozen=True)
class BodyLimits:
    """Limits of a request body: length in bytes, and seconds until it has arrived."""

    length: int = 1024 * 1024
    seconds: float = 30.0
    is_rejected_early: bool = True
    """Reject a declared length over the limit before calling the application, not when it reads the body."""


DEFAULT_BODY_LIMITS = BodyLimits()


class BodyLimitMiddleware:
    """Rejects bodies over the limit, and turns a bug into a JSON response; the traceback goes to the log."""

    def __init__(
        self, app: ASGIApp, body_limits: Callable[[Scope], BodyLimits] = lambda scope: DEFAULT_BODY_LIMITS
    ) -> None:
        self._app, self._body_limits = app, body_limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limits = self._body_limits(scope)
        body = LimitedBody(scope, receive, limits)
        try:
            if limits.is_rejected_early:
                body.reject_announced_length()
        except BodyRejected as error:
            await body_rejected_response(error)(scope, receive, send)
            return
        await self._call_app(scope, body.receive, send)

    async def _call_app(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except BodyRejected as error:  # from middleware that reads the body
            await body_rejected_response(error)(scope, receive, send)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 the last line of defence: nothing else would respond
            response = internal_error_response(error, scope["method"], scope["path"])
            if not started:
                await response(scope, receive, send)


class LimitedBody:
    """The body of one request; its time limit starts with the first read."""

    def __init__(self, scope: Scope, receive: Receive, limits: BodyLimits) -> None:
        self._headers: dict[bytes, bytes] = dict(scope["headers"])
        self._receive, self._limits = receive, limits
        self._received = 0
        self._complete = False
        self._deadline: float | None = None

    def reject_announced_length(self) -> None:
        """Raises `BodyTooLarge` if the declared length exceeds the limit, before the body is sent."""
        announced = self._headers.get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > self._limits.length:
            raise BodyTooLarge(self._limits.length)

    async def receive(self) -> Message:
        """As ASGI's receive. Raises `BodyTooLarge` and `BodyTimedOut`."""
        if self._complete:
            return await self._receive()
        if self._deadline is None:
            self.reject_announced_length()
            self._deadline = asyncio.get_running_loop().time() + self._limits.seconds
        try:
            async with LazyTimeout(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise BodyTimedOut(self._limits.seconds) from None
        self._complete = message["type"] != "http.request" or not message.get("more_body", False)
        self._received += len(message.get("body", b""))
        if self._received > self._limits.length:
            raise BodyTooLarge(self._limits.length)
        return message


# Strict JSON: UTF-8, finite numbers, whole characters, limited nesting

MAX_JSON_DEPTH = 100
"""Max. nesting of lists and objects. Code that displays data nests it a little further; its limit is 255."""

MAX_JSON_DIGITS = 300
"""Max. digits of an integer. Longer ones take quadratic time to parse and write."""
MAX_JSON_VALUES = 100_000
"""Max. values in a document from outside. Each takes many times the memory of its text, and time wherever the
data is traversed later."""
_LONG_NUMBER = re.compile(rf"(?<![0-9])[0-9]{{{MAX_JSON_DIGITS + 1}}}")
_LONG_TEXT = 1 << 20
"""Characters above which values are counted before parsing, which blocks other threads."""


def parse_strict_json(raw: bytes, max_values: int | None = None) -> Json:
    """Parse JSON. Raises `ValueError` for invalid JSON, or JSON that can't be stored.

    With `max_values`, raises `TooManyValues` for a document with more lists, objects, and values in them.
    """
    text = raw.decode("utf-8-sig")
    if max_values is not None and len(text) > _LONG_TEXT:
        check_value_count(text, 2 * max_values)  # it counts an empty list twice
    value = decode_strictly(text)
    if value is None:
        value = _parse_checked(text)
    opened = text.count("[") + text.count("{")
    max_items = opened + text.count(",")  # an overestimate if strings contain commas or brackets
    if opened > MAX_JSON_DEPTH or (max_values is not None and max_items > max_values):
        _check_size(value, max_items if max_values is None else max_values)
    return value


def _parse_checked(text: str) -> Json:
    """Parse JSON, and find out what is wrong with it."""
    try:
        value: Json = json.loads(
            text,
            parse_constant=_reject_constant,
            parse_float=_parse_finite_float,
            parse_int=_parse_bounded_int if _LONG_NUMBER.search(text) else None,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if "\\ud" in text.lower():  # JSON can contain half a surrogate pair, which can't be stored
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _check_size(value: Json, max_values: int) -> None:
    """Raises for JSON that is nested too deeply or has too many values; stops at the first sign of it."""
    level = [value] if isinstance(value, (dict, list)) else []
    depth = 0
    values = 0
    while level:
        if (depth := depth + 1) > MAX_JSON_DEPTH:
            raise ValueError("nested too deeply")
        values += sum(map(len, level))
        if values > max_values:
            raise TooManyValues(f"more than {max_values} values")
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, (dict, list))
        ]


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _parse_bounded_int(digits: str) -> int:
    if len(digits.removeprefix("-")) > MAX_JSON_DIGITS:
        raise ValueError(f"a number has more than {MAX_JSON_DIGITS} digits")
    return int(digits)


def _parse_finite_float(text: str) -> float:
    if math.isinf(number := float(text)):
        raise ValueError(f"{text[:20]} is too large")
    return number


# Multipart forms (RFC 7578), parsed from memory in linear time

MAX_FILES = 1000
MAX_FIELDS = 1000
_MAX_HEAD_BYTES = 8 * 1024
"""Bytes of all headers of one part."""
_PARAMETER = re.compile(r'[ \t]*;[ \t]*([^=;"]*)=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))(?=[ \t]*(?:;|$))')
"""Always matched at the end of the previous one, so that each character is examined once."""
_MAX_PARAMETERS = 20
_BOUNDARY = re.compile(r"[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]")


class MultipartError(ValueError):
    """The body isn't a multipart form, or its end is missing. The message completes a sentence."""


@dataclass(frozen=True)
class Part:
    """One field or file of a form. `filename` is None for a field. Header names are lower-case."""

    name: str
    filename: str | None
    content: bytes = field(repr=False)
    headers: dict[str, str]

    @property
    def content_type(self) -> str:
        """The content type of the part; empty without one."""
        return self.headers.get("content-type", "")


def parse_multipart(raw: bytes, content_type: str) -> list[Part]:
    """The parts of a form. Raises `MultipartError`."""
    boundary = header_parameters(content_type).get("boundary", "")
    if not _BOUNDARY.fullmatch(boundary):
        raise MultipartError("the content type has no valid boundary")
    parts: list[Part] = []
    files = 0
    for head, content in _split(raw, boundary.encode()):
        part = _part(head, content)
        files += part.filename is not None
        if files > MAX_FILES or len(parts) - files >= MAX_FIELDS:
            raise MultipartError(f"it has more than {MAX_FILES} files or {MAX_FIELDS} fields")
        parts.append(part)
    return parts


def header_parameters(value: str) -> dict[str, str]:
    """The parameters of a header such as Content-Disposition, by lower-case name; the first of a name counts.

    Stops at what it can't read. Extended parameters (`filename*`) aren't allowed in forms and are skipped.
    """
    found: dict[str, str] = {}
    position = value.find(";")
    for _ in range(_MAX_PARAMETERS):
        match = _PARAMETER.match(value, position) if position >= 0 else None
        if match is None:
            break
        name, quoted, plain = match.groups()
        text = plain.strip() if quoted is None else re.sub(r'\\(["\\])', r"\1", quoted)
        found.setdefault(name.strip().lower(), text)
        position = match.end()
    return found


def _split(raw: bytes, boundary: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Head and content of each part, up to the closing boundary. Text outside the parts is ignored."""
    delimiter = b"\r\n--" + boundary
    # The first one may begin the body; its line break is then missing.
    start = len(delimiter) - 2 if raw.startswith(delimiter[2:]) else _delimiter_end(raw, delimiter, 0)
    while not raw.startswith(b"--", start):
        line_end = raw.find(b"\r\n", start, start + _MAX_HEAD_BYTES)
        if line_end < 0 or raw[start:line_end].strip(b" \t"):  # only padding may follow the delimiter
            raise MultipartError("a boundary isn't followed by a new line")
        head_from = line_end + 2
        head_to = raw.find(b"\r\n\r\n", head_from - 2, head_from + _MAX_HEAD_BYTES)
        if head_to < 0:
            raise MultipartError(f"the headers of a part have no end within {_MAX_HEAD_BYTES} bytes")
        content_from = head_to + 4
        start = _delimiter_end(raw, delimiter, content_from)
        yield raw[head_from:head_to], raw[content_from : start - len(delimiter)]


def _delimiter_end(raw: bytes, delimiter: bytes, start: int) -> int:
    """The end of the next delimiter. Skips content that only starts like one."""
    while (found := raw.find(delimiter, start)) >= 0:
        end = found + len(delimiter)
        if raw.startswith((b"--", b"\r\n", b" ", b"\t"), end):
            return end
        start = found + 2
    raise MultipartError("its closing boundary is missing, so it may have been cut off")


def _part(head: bytes, content: bytes) -> Part:
    headers: dict[str, str] = {}
    for line in head.split(b"\r\n"):
        name, colon, value = line.partition(b":")
        if not colon:
            raise MultipartError("a part has a header without a colon")
        headers.setdefault(_text(name).strip().lower(), _text(value).strip())
    disposition = header_parameters(headers.get("content-disposition", ""))
    if "name" not in disposition:
        raise MultipartError("a part has no name")
    return Part(disposition["name"], disposition.get("filename"), content, headers)


def _text(raw: bytes) -> str:
    """Names in UTF-8, as browsers send them, or else in Latin-1."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


# Decoding shared by the API and webhooks

FORM = "application/x-www-form-urlencoded"
_SHORT_BODY_BYTES = 16 * 1024
"""Bytes that are decoded at once; a thread would cost more."""
_MAX_CONCURRENT_DECODES = 1
"""Max. long bodies decoded at a time. More wouldn't finish earlier: only one thread runs at a time, and each
delays the event loop."""

T = TypeVar("T")


class DecodingThreads:
    """Decodes short bodies directly, and long ones one after the other in a thread beside the event loop."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(_MAX_CONCURRENT_DECODES)

    async def run(self, raw: bytes, decode: Callable[[], T]) -> T:
        """The result of `decode`, which reads `raw`; `raw` is only used to estimate how long that takes."""
        if len(raw) <= _SHORT_BODY_BYTES:
            return decode()
        async with self._slots:
            return await asyncio.to_thread(decode)


def is_json(media_type: str) -> bool:
    """Whether a media type, in lower case and without parameters, is JSON."""
    return media_type == "application/json" or media_type.endswith("+json")


def reject_compressed(content_encoding: str) -> None:
    """Raise `RequestRejected` (415) for any content encoding: a few compressed bytes can become gigabytes."""
    if content_encoding.strip().lower() not in ("", "identity"):
        raise unsupported_media_type(
            "Compressed request bodies aren't supported.", "Send the body uncompressed."
        )


def decode_json(raw: bytes, max_values: int = MAX_JSON_VALUES) -> Json:
    """The value of a JSON body. Raises `RequestRejected` (400) for invalid JSON and for too many values."""
    try:
        return parse_strict_json(raw, max_values)
    except TooManyValues:
        raise bad_request(f"The body has more than {max_values:,} values. Split the request.") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise bad_request(f"The body isn't valid JSON: {json_problem(error)}.") from None
    except ValueError:
        raise bad_request("The body isn't valid JSON.") from None


def decode_form(text: str) -> list[tuple[str, str]]:
    """The fields of a URL-encoded form, in order. Raises `RequestRejected` (400) when there are too many."""
    try:
        return parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise bad_request(f"The form has more than {MAX_FIELDS:,} fields.") from None


def unsupported_charset(charset: str) -> RequestRejected:
    """The error for a body in a character set that isn't decoded."""
    return unsupported_media_type(
        f"The character set “{charset}” isn't supported.", "Send the body as UTF-8."
    )


def unsupported_media_type(happened: str, todo: str) -> RequestRejected:
    """The error (415) for a body in a form that isn't supported."""
    error = ValidationFailed({"general": [happened]}, happened=happened, todo=todo)
    return RequestRejected(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, error)
