"""What was sent to a webhook, as data: JSON, forms, text, and files of multipart forms.

A body is read into memory first, decoded once the call is known to be the sender's, and decoded in a thread
unless it is short, so that other callers never wait for it.
"""

import base64
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Scope

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.charsets import UnknownCharset, charset_from_content_type, decode
from patchbay.domain.errors import Unreachable
from patchbay.server.body_decoding import (
    FORM,
    DecodingThreads,
    decode_form,
    decode_json,
    is_json,
    refuse_compressed,
    unsupported_charset,
)
from patchbay.server.failures import RequestRejected, bad_request
from patchbay.server.guard import DEFAULT_BODY_LIMITS, BodyLimits
from patchbay.server.json_text import MAX_JSON_VALUES
from patchbay.server.multipart import MultipartError, Part, parse_multipart

_FILES_SECONDS = 120.0
"""Until a multipart form with its files has arrived."""
_BYTES_PER_VALUE = 25
"""A JSON body may hold one value for so many bytes of the limit, and `MAX_JSON_VALUES` in any case."""

_MULTIPART = "multipart/form-data"


class BodyMemory:
    """The memory that all webhook bodies take together while they arrive and are handed to the engine."""

    def __init__(self, limit: int = 128 * 1024 * 1024) -> None:
        self._limit, self.used = limit, 0

    @asynccontextmanager
    async def reading(self, request: Request) -> AsyncIterator[bytes]:
        """The whole body, counted until the end of the block.

        Raises `RequestRejected` (503) when other bodies have taken all memory, and what receiving raises.
        """
        reserved = 0
        pieces: list[bytes] = []
        try:
            async for piece in request.stream():
                reserved += len(piece)
                self.used += len(piece)
                if self.used > self._limit:
                    raise _memory_limit_error()
                pieces.append(piece)
            yield b"".join(pieces)
        finally:
            self.used -= reserved


class BodyDecoder:
    """Turns raw bodies into data, one long one at a time."""

    def __init__(self) -> None:
        self._threads = DecodingThreads()

    async def decode(self, raw: bytes, headers: Headers, max_bytes: int) -> Json:
        """The body by its content type; None when it is empty. Raises `RequestRejected`, see `decode_body`."""
        max_values = max(MAX_JSON_VALUES, max_bytes // _BYTES_PER_VALUE)
        return await self._threads.run(raw, partial(decode_body, raw, headers, max_values))


def webhook_body_limits(scope: Scope, max_bytes: int) -> BodyLimits:
    """How much may be sent to a webhook with this request; asked after its flow was found."""
    kind = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    has_files = kind.lower().startswith(_MULTIPART.encode())
    seconds = _FILES_SECONDS if has_files else DEFAULT_BODY_LIMITS.seconds
    return BodyLimits(length=max_bytes, seconds=seconds, is_rejected_early=False)


def decode_body(raw: bytes, headers: Headers, max_values: int = MAX_JSON_VALUES) -> Json:
    """The body by its content type; None when it is empty.

    A file is `{"name", "contentType", "size", "base64"}`, and so is a body that is neither JSON nor form nor
    text. Raises `RequestRejected` for what does not hold what its content type says.
    """
    if not raw:
        return None
    refuse_compressed(headers.get("content-encoding", ""))
    content_type = headers.get("content-type", "")
    media_type = content_type.partition(";")[0].strip().lower()
    if is_json(media_type):
        return decode_json(raw, max_values)
    if media_type == _MULTIPART:
        return _decode_multipart(raw, content_type)
    text = _decode_text(raw, charset_from_content_type(content_type))
    if text is None:
        return _file_object("", content_type, raw)
    return group_by_name(decode_form(text)) if media_type == FORM else text


def group_by_name(pairs: Iterable[tuple[str, Json]]) -> JsonObject:
    """Names to values; a name given more than once holds a list."""
    found: dict[str, list[Json]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}


def _decode_text(raw: bytes, charset: str) -> str | None:
    """The body as text; None when it is something binary."""
    try:
        return decode(raw, charset)
    except UnicodeDecodeError:
        return None
    except UnknownCharset:
        raise unsupported_charset(charset) from None


def _memory_limit_error() -> RequestRejected:
    error = Unreachable("The memory limit for request bodies is reached.", todo="Try again in a moment.")
    return RequestRejected(HTTPStatus.SERVICE_UNAVAILABLE, error)


def _decode_multipart(raw: bytes, content_type: str) -> JsonObject:
    try:
        parts = parse_multipart(raw, content_type)
    except MultipartError as error:
        raise bad_request(f"The multipart form is malformed: {error}.") from None
    charset = charset_from_content_type(content_type)
    return group_by_name((part.name, _part_value(part, charset)) for part in parts)


def _part_value(part: Part, charset: str) -> Json:
    """A text for a field; a file as an object, or None for the empty one of a browser without a choice."""
    if part.filename is None:
        text = _decode_text(part.content, charset_from_content_type(part.content_type) or charset)
        return part.content.decode("latin-1") if text is None else text
    if not part.filename and not part.content:
        return None
    return _file_object(part.filename, part.content_type, part.content)


def _file_object(name: str, content_type: str, content: bytes) -> JsonObject:
    return {
        "name": name,
        "contentType": content_type or "application/octet-stream",
        "size": len(content),
        "base64": base64.b64encode(content).decode(),
    }
