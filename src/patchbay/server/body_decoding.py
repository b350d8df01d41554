"""Decoding that request bodies of the interface and of webhooks share: limits, threads and error messages."""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import parse_qsl

from patchbay.domain.base import Json
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.foreign_json import TooManyValues
from patchbay.server.failures import Refused, malformed
from patchbay.server.json_text import MOST_VALUES, strict_json
from patchbay.server.multipart import MOST_FIELDS

FORM = "application/x-www-form-urlencoded"
_SHORT = 16 * 1024
"""Bytes that are decoded at once; a thread would cost more."""
_DECODED_AT_ONCE = 1
"""Long bodies decoded at the same time. More would not be ready earlier: the interpreter runs one thread at a
time, and each further one delays the event loop as much as the first."""

T = TypeVar("T")


class DecodingThreads:
    """Decodes short bodies directly, and long ones one after the other in a thread beside the event loop."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(_DECODED_AT_ONCE)

    async def run(self, raw: bytes, decode: Callable[[], T]) -> T:
        """The result of `decode`, which reads `raw`; `raw` itself only tells how long that takes."""
        if len(raw) <= _SHORT:
            return decode()
        async with self._slots:
            return await asyncio.to_thread(decode)


def is_json(media_type: str) -> bool:
    """Whether a media type, in lower case and without parameters, is JSON."""
    return media_type == "application/json" or media_type.endswith("+json")


def refuse_compressed(content_encoding: str) -> None:
    """Raise `Refused` (415) for any content encoding: a few compressed bytes can become gigabytes."""
    if content_encoding.strip().lower() not in ("", "identity"):
        raise unsupported("Compressed request bodies aren't supported.", "Send the body uncompressed.")


def decode_json(raw: bytes, most_values: int = MOST_VALUES) -> Json:
    """The value of a JSON body. Raises `Refused` (400) for invalid JSON and for too many values."""
    try:
        return strict_json(raw, most_values)
    except TooManyValues:
        raise malformed(f"The body has more than {most_values:,} values. Split the request.") from None
    except ValueError:
        raise malformed("The body is not valid JSON.") from None


def decode_form(text: str) -> list[tuple[str, str]]:
    """The fields of a URL-encoded form, in order. Raises `Refused` (400) when there are too many."""
    try:
        return parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise malformed(f"The form has more than {MOST_FIELDS:,} fields.") from None


def unsupported_charset(charset: str) -> Refused:
    """The error for a body in a character set that isn't decoded."""
    return unsupported(f"The character set “{charset}” isn't supported.", "Send the body as UTF-8.")


def unsupported(happened: str, todo: str) -> Refused:
    """The error (415) for a body in a form that isn't supported."""
    error = ValidationFailed({"general": [happened]}, happened=happened, todo=todo)
    return Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, error)
