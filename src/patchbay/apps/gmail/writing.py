"""Encodes messages for the API. Runs in a worker process: addresses and texts can come from anyone."""

import re
from base64 import urlsafe_b64encode
from html import unescape
from typing import TYPE_CHECKING

from patchbay.domain.base import JsonObject
from patchbay.integration.mail_addresses import Mailbox, parse_mailbox, parse_mailboxes
from patchbay.integration.values import replace_surrogates, text_of

if TYPE_CHECKING:
    from email.message import EmailMessage

_LINE_END = re.compile(r"<(?:br|/p|/div|/tr)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_RECIPIENTS = (("tos", "to", "To"), ("ccs", "cc", "Cc"), ("bccs", "bcc", "Bcc"))


def encode(parameters: JsonObject, original: JsonObject) -> str:
    """The message of a step as `raw`. `original` has the headers of the message that it replies to.

    Raises `ValidationFailed` for invalid addresses. Gmail adds the sender if none is entered.
    """
    from email.message import EmailMessage
    from email.policy import SMTP, SMTPUTF8

    from patchbay.integration.mail_headers import RawHeader, address_header, text_header

    boxes = _mailboxes(parameters, original)
    is_ascii = all(box.is_ascii for found in boxes.values() for box in found)
    # 7 bit, which every mail server supports; texts are quoted-printable or base64.
    message = EmailMessage((SMTP if is_ascii else SMTPUTF8).clone(cte_type="7bit"))
    for name, found in boxes.items():
        if found:
            message[name] = address_header(name, found)
    message["Subject"] = text_header("Subject", _subject(parameters, original))
    if message_id := text_of(original, "message-id"):
        earlier = f"{text_of(original, 'references')} {message_id}".split()
        message["In-Reply-To"] = RawHeader("In-Reply-To", message_id)
        message["References"] = RawHeader("References", "\r\n ".join(filter(str.isascii, earlier)))
    _set_body(message, parameters)
    return urlsafe_b64encode(message.as_bytes()).decode("ascii")


def _mailboxes(parameters: JsonObject, original: JsonObject) -> dict[str, tuple[Mailbox, ...]]:
    """The addresses by header. A reply without recipients goes to the sender of the original message."""
    found: dict[str, tuple[Mailbox, ...]] = {"From": ()}
    if text_of(parameters, "from").strip():
        found["From"] = (parse_mailbox(parameters["from"], text_of(parameters, "fromName"), "from", "From"),)
    for key, field, name in _RECIPIENTS:
        entered = parameters.get(key)
        listed = (
            [row.get(field) for row in entered if isinstance(row, dict)] if isinstance(entered, list) else []
        )
        found[name] = parse_mailboxes(listed, key, name)
    if not any(found[name] for _, _, name in _RECIPIENTS):
        sender = text_of(original, "reply-to") or text_of(original, "from")
        found["To"] = parse_mailboxes(sender, "tos", "To")
    found["Reply-To"] = parse_mailboxes(parameters.get("replyTo"), "replyTo", "Reply to")
    return found


def _subject(parameters: JsonObject, original: JsonObject) -> str:
    subject = text_of(parameters, "subject") or text_of(original, "subject")
    is_new = not original or subject[:3].lower() == "re:"
    return subject if is_new else f"Re: {subject}"


def _set_body(message: "EmailMessage", parameters: JsonObject) -> None:
    body = replace_surrogates(text_of(parameters, "emailBody"))
    signature = replace_surrogates(text_of(parameters, "signature"))
    if text_of(parameters, "bodyType") == "html":
        message.set_content(f"{body}<br><br>{signature}" if signature else body, subtype="html")
    else:
        message.set_content(f"{body}\n\n{_plain(signature)}" if signature else body)


def _plain(html: str) -> str:
    """The text of a signature, which Gmail stores as HTML."""
    lines = _TAG.sub("", _LINE_END.sub("\n", html))
    return unescape(lines).strip()
