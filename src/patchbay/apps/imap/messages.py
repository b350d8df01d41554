"""Parses a raw message into JSON data. Never raises, however malformed the message is.

It is called in a worker process, because anyone can send a message.
"""

from base64 import b64encode
from dataclasses import dataclass, field
from datetime import datetime

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.charsets import decode_leniently

from .headers import decode_words, parse_addresses, parse_date, to_single_line
from .mime import MAX_HEAD_BYTES, Part, parse_message, read_part

MAX_TEXT_LENGTH = 1024 * 1024
"""Max. characters of a text or HTML body; longer ones are cut."""
MAX_FILE_BYTES = 10 * 1024 * 1024
MAX_FILES_BYTES = 15 * 1024 * 1024
"""Max. bytes of one attachment, and of all of a message, whose content is included."""
MAX_NAME_LENGTH = 1000
_MAX_HEADERS = 200
_MAX_BYTES_PER_CHARACTER = 4


@dataclass
class _MessageContents:
    """The contents of a message's parts."""

    texts: list[str] = field(default_factory=list)
    htmls: list[str] = field(default_factory=list)
    files: list[JsonObject] = field(default_factory=list)
    bytes_given: int = 0


def read_message(raw: bytes, with_content: bool) -> JsonObject:
    """Headers, bodies, and attachments of a message; `with_content` adds the attachments' content in base64.

    `incomplete` means that some headers or parts were dropped, because there were too many.
    """
    parts = parse_message(raw)
    message, found = parts.message, _MessageContents()
    for part in parts.leaves:
        kind, name = part.content_type, part.file_name[:MAX_NAME_LENGTH]
        is_file = bool(name) or part.disposition == "attachment"
        if kind == "text/plain" and not is_file:
            found.texts.append(_text(part))
        elif kind == "text/html" and not is_file:
            found.htmls.append(_text(part))
        else:
            found.files.append(_file(part, name, found, with_content))

    senders = _addresses(message, "from")
    return {
        "subject": message.header("subject"),
        "from": senders[0] if senders else None,
        "to": _addresses(message, "to"),
        "cc": _addresses(message, "cc"),
        "replyTo": _addresses(message, "reply-to"),
        "date": parse_date(message.header("date")),
        "messageId": message.header("message-id"),
        "inReplyTo": message.header("in-reply-to"),
        "text": "\n".join(found.texts)[:MAX_TEXT_LENGTH],
        "html": "\n".join(found.htmls)[:MAX_TEXT_LENGTH],
        "attachments": list[Json](found.files),
        "headers": _headers(message),
        "incomplete": not (message.complete and parts.complete),
    }


def describe_message(raw: bytes) -> str:
    """A message's subject and sender as one line, from its first headers only."""
    head = read_part(raw[: MAX_HEAD_BYTES // 8], 0, min(len(raw), MAX_HEAD_BYTES // 8))
    subject, sender = (decode_words(head.by_name.get(name, "")[:1000]) for name in ("subject", "from"))
    return f"{subject[:120] or 'no subject'}, from {sender[:70] or 'unknown sender'}"


def _file(part: Part, name: str, found: _MessageContents, with_content: bool) -> JsonObject:
    content = part.content()
    file: JsonObject = {
        "filename": name or ("message.eml" if part.content_type == "message/rfc822" else "attachment"),
        "contentType": part.content_type,
        "size": len(content),
        "inline": part.disposition != "attachment" and "content-id" in part.by_name,
        "contentId": part.header("content-id").strip("<>")[:MAX_NAME_LENGTH],
    }
    if with_content:
        fits = len(content) <= MAX_FILE_BYTES and found.bytes_given + len(content) <= MAX_FILES_BYTES
        file["content"] = b64encode(content).decode("ascii") if fits else None
        file["tooLarge"] = not fits
        found.bytes_given += len(content) if fits else 0
    return file


def _text(part: Part) -> str:
    """The text of a part, decoded by its character set; invalid bytes become �."""
    content = part.content()[: MAX_TEXT_LENGTH * _MAX_BYTES_PER_CHARACTER]
    text = decode_leniently(content, part.type_parameters.get("charset", ""))
    text = text.encode("utf-8", "replace").decode()  # no lone surrogates, which can't be stored
    return text.replace("\r\n", "\n").replace("\0", "")[:MAX_TEXT_LENGTH]


def _headers(message: Part) -> JsonObject:
    """All headers as text. Repeated headers are lists, and not decoded."""
    values: dict[str, list[str]] = {}
    for name, value in message.headers:
        if name in values or len(values) < _MAX_HEADERS:
            values.setdefault(name, []).append(value)
    return {
        name: decode_words(found[0]) if len(found) == 1 else list[Json](map(to_single_line, found))
        for name, found in values.items()
    }


def _addresses(message: Part, name: str) -> list[Json]:
    found = parse_addresses(message.by_name.get(name, ""))
    return [{"name": shown, "address": address} for shown, address in found]


def iso_date_or_none(value: object) -> str | None:
    """When the server received the message, in ISO format."""
    return value.isoformat() if isinstance(value, datetime) else None
