"""A message as it lies in a mailbox, made into data. Whatever is wrong with a message, it never raises."""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import getaddresses, parsedate_to_datetime
from typing import cast

from patchbay.domain.base import Json, JsonObject

LARGEST_TEXT = 1024 * 1024
"""Letters of a text or HTML body; what is longer is cut."""
LARGEST_FILE = 10 * 1024 * 1024
LARGEST_FILES = 15 * 1024 * 1024
"""Bytes of one attachment, and of all of a message, that are handed over with their content."""
_MOST_PARTS = 500
_MOST_HEADERS = 200


@dataclass
class _Found:
    """What the parts of a message hold."""

    texts: list[str] = field(default_factory=list)
    htmls: list[str] = field(default_factory=list)
    files: list[JsonObject] = field(default_factory=list)
    bytes_given: int = 0


def letter(raw: bytes, *, with_content: bool) -> JsonObject:
    """Headers, bodies and attachments of a message; `with_content` adds the attachments in base64."""
    message = message_from_bytes(raw, policy=policy.default)
    found = _Found()
    for part in _parts(message):
        _sort(part, found, with_content)
    senders = _addresses(message, "From")
    return {
        "subject": _header(message, "Subject"),
        "from": senders[0] if senders else None,
        "to": _addresses(message, "To"),
        "cc": _addresses(message, "Cc"),
        "replyTo": _addresses(message, "Reply-To"),
        "date": _date(message),
        "messageId": _header(message, "Message-ID"),
        "inReplyTo": _header(message, "In-Reply-To"),
        "text": "\n".join(found.texts)[:LARGEST_TEXT],
        "html": "\n".join(found.htmls)[:LARGEST_TEXT],
        "attachments": list[Json](found.files),
        "headers": _headers(message),
    }


def _parts(message: EmailMessage, depth: int = 0) -> Iterator[EmailMessage]:
    """The leaves of the message; a message inside the message counts as one."""
    if message.get_content_maintype() != "multipart" or not message.is_multipart() or depth > 20:
        yield message
        return
    for part in cast(list[EmailMessage], message.get_payload())[:_MOST_PARTS]:
        yield from _parts(part, depth + 1)


def _sort(part: EmailMessage, found: _Found, with_content: bool) -> None:
    kind, name = part.get_content_type(), _file_name(part)
    is_file = bool(name) or part.get_content_disposition() == "attachment"
    if kind == "text/plain" and not is_file:
        found.texts.append(_text(part))
    elif kind == "text/html" and not is_file:
        found.htmls.append(_text(part))
    else:
        found.files.append(_file(part, name, found, with_content))


def _file(part: EmailMessage, name: str, found: _Found, with_content: bool) -> JsonObject:
    content = _bytes(part)
    file: JsonObject = {
        "filename": name or ("message.eml" if part.get_content_type() == "message/rfc822" else "attachment"),
        "contentType": part.get_content_type(),
        "size": len(content),
        "inline": part.get_content_disposition() != "attachment" and "Content-ID" in part,
        "contentId": _header(part, "Content-ID").strip("<>"),
    }
    if with_content:
        fits = len(content) <= LARGEST_FILE and found.bytes_given + len(content) <= LARGEST_FILES
        file["content"] = b64encode(content).decode("ascii") if fits else None
        file["tooLarge"] = not fits
        found.bytes_given += len(content) if fits else 0
    return file


def _bytes(part: EmailMessage) -> bytes:
    if part.get_content_type() == "message/rfc822" and part.is_multipart():
        inner = part.get_payload(0)
        try:
            return cast(EmailMessage, inner).as_bytes()
        except Exception:  # noqa: BLE001  the library raises many kinds on odd messages
            return b""
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _text(part: EmailMessage) -> str:
    """The text in the encoding it names; letters that do not fit it are replaced."""
    try:
        charset = part.get_content_charset() or "utf-8"
        text = _bytes(part).decode(charset, "replace")
    except (LookupError, ValueError):
        text = _bytes(part).decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\0", "")


def _file_name(part: EmailMessage) -> str:
    try:
        return _clean(part.get_filename() or "")
    except Exception:  # noqa: BLE001  the library raises many kinds on odd headers
        return "attachment"


def _header(message: EmailMessage, name: str) -> str:
    try:
        return _clean(str(message.get(name) or ""))
    except Exception:  # noqa: BLE001  the library raises many kinds on odd headers
        raw = next((value for key, value in message.raw_items() if key.lower() == name.lower()), "")
        return _clean(str(raw))


def _headers(message: EmailMessage) -> JsonObject:
    """Every header as text; those that come several times as a list."""
    names = list(dict.fromkeys(key.lower() for key, _ in message.raw_items()))[:_MOST_HEADERS]
    headers: JsonObject = {}
    for name in names:
        values = [_clean(str(value)) for key, value in message.raw_items() if key.lower() == name]
        headers[name] = _header(message, name) if len(values) == 1 else list[Json](values)
    return headers


def _addresses(message: EmailMessage, name: str) -> list[Json]:
    try:
        header = message.get(name)
        pairs = [(one.display_name, one.addr_spec) for one in header.addresses] if header else []
    except Exception:  # noqa: BLE001  the library raises many kinds on odd addresses
        pairs = getaddresses([_header(message, name)])
    return [{"name": _clean(shown), "address": _clean(address)} for shown, address in pairs]


def _date(message: EmailMessage) -> str | None:
    try:
        return parsedate_to_datetime(_header(message, "Date")).isoformat()
    except (ValueError, TypeError, OverflowError):
        return None


def moment(value: object) -> str | None:
    """When the server took the message in."""
    return value.isoformat() if isinstance(value, datetime) else None


def _clean(text: str) -> str:
    """Without lone surrogates, which no JSON can hold, and without line breaks."""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
