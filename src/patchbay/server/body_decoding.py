"""Decoding that request bodies of the interface and of webhooks share: limits, threads and error messages."""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import parse_qsl

from patchbay.domain.base import Json
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.foreign_json import TooManyValues
from patchbay.server.failures import RequestRejected, bad_request
from patchbay.server.json_text import MAX_JSON_VALUES, parse_strict_json
from patchbay.server.multipart import MAX_FIELDS

FORM = "application/x-www-form-urlencoded"
_SHORT_BODY_BYTES = 16 * 1024
"""Bytes that are decoded at once; a thread would cost more."""
_MAX_CONCURRENT_DECODES = 1
"""Long bodies decoded at the same time. More would not be ready earlier: the interpreter runs one thread at a
time, and each further one delays the event loop as much as the first."""

T = TypeVar("T")


class DecodingThreads:
    """Decodes short bodies directly, and long ones one after the other in a thread beside the event loop."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(_MAX_CONCURRENT_DECODES)

    async def run(self, raw: bytes, decode: Callable[[], T]) -> T:
        """The result of `decode`, which reads `raw`; `raw` itself only tells how long that takes."""
        if len(raw) <= _SHORT_BODY_BYTES:
            return decode()
        async with self._slots:
            return await asyncio.to_thread(decode)


def is_json(media_type: str) -> bool:
    """Whether a media type, in lower case and without parameters, is JSON."""
    return media_type == "application/json" or media_type.endswith("+json")


def refuse_compressed(content_encoding: str) -> None:
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
    except ValueError:
        raise bad_request("The body is not valid JSON.") from None


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
