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
from patchbay.domain.charsets import UnknownCharset, charset_in, decode
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
from patchbay.server.failures import Refused, malformed
from patchbay.server.guard import USUAL, Allowance
from patchbay.server.json_text import MOST_VALUES
from patchbay.server.multipart import MultipartError, Part, parse_multipart

_FILES_SECONDS = 120.0
"""Until a multipart form with its files has arrived."""
_BYTES_PER_VALUE = 25
"""A JSON body may hold one value for so many bytes of the limit, and `MOST_VALUES` in any case."""

_MULTIPART = "multipart/form-data"


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
    """Turns raw bodies into data, one long one at a time."""

    def __init__(self) -> None:
        self._threads = DecodingThreads()

    async def decode(self, raw: bytes, headers: Headers, max_bytes: int) -> Json:
        """The body by its content type; None when it is empty. Raises `Refused`, see `decoded`."""
        most_values = max(MOST_VALUES, max_bytes // _BYTES_PER_VALUE)
        return await self._threads.run(raw, partial(decoded, raw, headers, most_values))


def allowance(scope: Scope, max_bytes: int) -> Allowance:
    """How much may be sent to a webhook with this request; asked after its flow was found."""
    kind = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    has_files = kind.lower().startswith(_MULTIPART.encode())
    seconds = _FILES_SECONDS if has_files else USUAL.seconds
    return Allowance(length=max_bytes, seconds=seconds, refused_early=False)


def decoded(raw: bytes, headers: Headers, most_values: int = MOST_VALUES) -> Json:
    """The body by its content type; None when it is empty.

    A file is `{"name", "contentType", "size", "base64"}`, and so is a body that is neither JSON nor form nor
    text. Raises `Refused` for what does not hold what its content type says.
    """
    if not raw:
        return None
    refuse_compressed(headers.get("content-encoding", ""))
    content_type = headers.get("content-type", "")
    media_type = content_type.partition(";")[0].strip().lower()
    if is_json(media_type):
        return decode_json(raw, most_values)
    if media_type == _MULTIPART:
        return _parts(raw, content_type)
    text = _text(raw, charset_in(content_type))
    if text is None:
        return _file("", content_type, raw)
    return gathered(decode_form(text)) if media_type == FORM else text


def gathered(pairs: Iterable[tuple[str, Json]]) -> JsonObject:
    """Names to values; a name given more than once holds a list."""
    found: dict[str, list[Json]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}


def _text(raw: bytes, charset: str) -> str | None:
    """The body as text; None when it is something binary."""
    try:
        return decode(raw, charset)
    except UnicodeDecodeError:
        return None
    except UnknownCharset:
        raise unsupported_charset(charset) from None


def _no_memory() -> Refused:
    error = Unreachable("The memory limit for request bodies is reached.", todo="Try again in a moment.")
    return Refused(HTTPStatus.SERVICE_UNAVAILABLE, error)


def _parts(raw: bytes, content_type: str) -> JsonObject:
    try:
        parts = parse_multipart(raw, content_type)
    except MultipartError as error:
        raise malformed(f"The multipart form is malformed: {error}.") from None
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
