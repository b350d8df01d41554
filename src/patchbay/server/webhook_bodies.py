"""What was sent to a webhook, as data: JSON, forms, text, and files of multipart forms.

A body is read into memory first, decoded once the call is known to be the sender's, and decoded in a thread
unless it is short, so that other callers never wait for it.
"""

import asyncio
import base64
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from http import HTTPStatus
from typing import NoReturn
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Scope

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.charsets import UnknownCharset, charset_in, decode
from patchbay.domain.errors import Unreachable, ValidationFailed
from patchbay.server.failures import Refused, malformed
from patchbay.server.guard import USUAL, Allowance
from patchbay.server.json_text import MOST_VALUES, TooManyValues, strict_json
from patchbay.server.multipart import MOST_FIELDS, MultipartError, Part, parse_multipart

WITH_FILES = Allowance(length=10 * 1024 * 1024, seconds=120)
"""What a multipart form may take, all its fields and files together."""

_MULTIPART = "multipart/form-data"
_FORM = "application/x-www-form-urlencoded"
_SHORT = 16 * 1024
"""Bytes that are decoded at once; a thread would cost more."""
_DECODED_AT_ONCE = 2
"""Long bodies decoded at the same time. They share one processor, and each takes memory."""


class BodyMemory:
    """The memory that all webhook bodies take together while they arrive and are handed to the engine."""

    def __init__(self, limit: int = 128 * 1024 * 1024) -> None:
        self._limit, self.used = limit, 0

    @asynccontextmanager
    async def reading(self, request: Request) -> AsyncIterator[bytes]:
        """The whole body, counted until the end of the block.

        Raises `Refused` (503) when other bodies have taken all memory, and what receiving raises.
        """
        taken = 0
        pieces: list[bytes] = []
        try:
            async for piece in request.stream():
                taken += len(piece)
                self.used += len(piece)
                if self.used > self._limit:
                    raise _no_memory()
                pieces.append(piece)
            yield b"".join(pieces)
        finally:
            self.used -= taken


class BodyDecoder:
    """Turns raw bodies into data, a few long ones at a time."""

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(_DECODED_AT_ONCE)

    async def decode(self, raw: bytes, headers: Headers) -> Json:
        """The body by its content type; None when it is empty. Raises `Refused`, see `decoded`."""
        if len(raw) <= _SHORT:
            return decoded(raw, headers)
        async with self._turns:
            return await asyncio.to_thread(decoded, raw, headers)


def allowance(scope: Scope) -> Allowance:
    """How much may be sent to a webhook with this request; asked after its flow was found."""
    kind = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    found = WITH_FILES if kind.lower().startswith(_MULTIPART.encode()) else USUAL
    return replace(found, refused_early=False)


def decoded(raw: bytes, headers: Headers) -> Json:
    """The body by its content type; None when it is empty.

    A file is `{"name", "contentType", "size", "base64"}`, and so is a body that is neither JSON nor form nor
    text. Raises `Refused` for what does not hold what its content type says.
    """
    if not raw:
        return None
    if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        _not_taken("The body is compressed, which is not taken here.", "Send it as it is.")
    given = headers.get("content-type", "")
    kind = given.partition(";")[0].strip().lower()
    if kind == "application/json" or kind.endswith("+json"):
        return _json(raw)
    if kind == _MULTIPART:
        return _parts(raw, given)
    text = _text(raw, charset_in(given))
    if text is None:
        return _file("", given, raw)
    return _fields(text) if kind == _FORM else text


def gathered(pairs: Iterable[tuple[str, Json]]) -> JsonObject:
    """Names to values; a name given more than once holds a list."""
    found: dict[str, list[Json]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}


def _json(raw: bytes) -> Json:
    try:
        return strict_json(raw, MOST_VALUES)
    except TooManyValues:
        raise malformed(f"The body holds more than {MOST_VALUES:,} values. Send less at once.") from None
    except ValueError:
        raise malformed("The body is not valid JSON, which its content type says it is.") from None


def _fields(text: str) -> JsonObject:
    try:
        return gathered(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        raise malformed(f"The form has more than {MOST_FIELDS} fields.") from None


def _text(raw: bytes, charset: str) -> str | None:
    """The body as text; None when it is something binary."""
    try:
        return decode(raw, charset)
    except UnicodeDecodeError:
        return None
    except UnknownCharset:
        _not_taken(f"The body's character set “{charset}” is not supported.", "Send it as UTF-8.")


def _not_taken(words: str, todo: str) -> NoReturn:
    error = ValidationFailed({"general": [words]}, happened=words, todo=todo)
    raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, error) from None


def _no_memory() -> Refused:
    error = Unreachable(
        "The service is reading as many requests as fit into its memory.", todo="Try again in a moment."
    )
    return Refused(HTTPStatus.SERVICE_UNAVAILABLE, error)


def _parts(raw: bytes, content_type: str) -> JsonObject:
    try:
        parts = parse_multipart(raw, content_type)
    except MultipartError as error:
        raise malformed(f"The body is not a multipart form that can be read: {error}.") from None
    charset = charset_in(content_type)
    return gathered((part.name, _value(part, charset)) for part in parts)


def _value(part: Part, charset: str) -> Json:
    """A text for a field; a file as an object, or None for the empty one of a browser without a choice."""
    if part.filename is None:
        text = _text(part.content, charset_in(part.content_type) or charset)
        return part.content.decode("latin-1") if text is None else text
    if not part.filename and not part.content:
        return None
    return _file(part.filename, part.content_type, part.content)


def _file(name: str, content_type: str, content: bytes) -> JsonObject:
    return {
        "name": name,
        "contentType": content_type or "application/octet-stream",
        "size": len(content),
        "base64": base64.b64encode(content).decode(),
    }
