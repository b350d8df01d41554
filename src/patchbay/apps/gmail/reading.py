"""Makes the text, the subject, and the addresses of a message of the API easy to use."""

import binascii
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from typing import Any

from patchbay.domain.base import Json, JsonObject

_HEADERS = {
    "subject": "subject",
    "from": "from",
    "to": "to",
    "cc": "cc",
    "replyTo": "reply-to",
    "date": "date",
    "messageId": "message-id",
}


def headers_of(message: dict[str, Any]) -> dict[str, str]:
    """The headers by name in lower case. Of several with the same name, the first."""
    found: dict[str, str] = {}
    for header in message.get("payload", {}).get("headers", ()):
        found.setdefault(str(header["name"]).lower(), str(header["value"]))
    return found


def readable(message: dict[str, Any]) -> JsonObject:
    """The message as the API sends it, with subject, addresses, text, HTML, and a list of its attachments."""
    headers, parts = headers_of(message), list(_parts_of(message))
    attachments: list[Json] = [
        {
            "fileName": part["filename"],
            "mimeType": part.get("mimeType"),
            "size": part.get("body", {}).get("size"),
            "attachmentId": part.get("body", {}).get("attachmentId"),
        }
        for part in parts
        if part.get("filename")
    ]
    named = {key: headers.get(name, "") for key, name in _HEADERS.items()}
    texts = {key: _text_of(parts, kind) for key, kind in (("text", "text/plain"), ("html", "text/html"))}
    return {**message, **named, **texts, "attachments": attachments}


def _parts_of(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All parts of a message, in order, however deep they are nested."""
    waiting = [message.get("payload", {})]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += reversed(part.get("parts", ()))


def _text_of(parts: list[dict[str, Any]], media_type: str) -> str:
    """The first part of this type that isn't an attachment."""
    for part in parts:
        if part.get("mimeType") == media_type and not part.get("filename"):
            return _decode(str(part.get("body", {}).get("data") or ""))
    return ""


def _decode(data: str) -> str:
    try:
        return urlsafe_b64decode(data + "=" * (-len(data) % 4)).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""
