"""Builds a message from the parameters of a step."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, cast
from uuid import uuid4

from patchbay.domain.base import EpochMs, JsonObject
from patchbay.integration import Context
from patchbay.integration.files import File
from patchbay.integration.mail_addresses import Mailbox, parse_mailbox, parse_mailboxes
from patchbay.integration.values import (
    local_time,
    parameter_error,
    parse_time_zone,
    replace_surrogates,
    text_of,
    to_single_line,
)

from .attachments import media_type, parse_files

if TYPE_CHECKING:
    from email.message import EmailMessage
    from email.policy import EmailPolicy


@dataclass(frozen=True, kw_only=True)
class Envelope:
    """The properties of a message that the server and the step's output need."""

    id: str
    sender: str
    recipients: list[str]
    needs_utf8: bool
    subject: str
    files: list[JsonObject]


@dataclass(frozen=True)
class OutgoingMessage:
    """A message before it is encoded."""

    sender: Mailbox
    to: tuple[Mailbox, ...]
    cc: tuple[Mailbox, ...]
    bcc: tuple[Mailbox, ...]
    reply_to: tuple[Mailbox, ...]
    subject: str
    text: str
    html: str
    files: tuple[File, ...]
    date: datetime
    id: str

    @property
    def recipients(self) -> tuple[Mailbox, ...]:
        """All recipients, each address once."""
        all_mailboxes = (*self.to, *self.cc, *self.bcc)
        return tuple({box.address.casefold(): box for box in all_mailboxes}.values())

    @property
    def needs_utf8(self) -> bool:
        """Whether an address isn't ASCII, which only servers with SMTPUTF8 support."""
        all_mailboxes = (self.sender, *self.recipients, *self.reply_to)
        return not all(box.is_ascii for box in all_mailboxes)


def compose(
    parameters: JsonObject, now: EpochMs, time_zone: str, message_key_text: str
) -> tuple[JsonObject, bytes]:
    """Return the envelope of a message (keyword arguments of `Envelope`) and its encoded content.

    Runs in a worker process because addresses and text are untrusted and attachments may be large. The
    message ID is derived from `message_key_text`. Raises `ValidationFailed` for invalid parameters.
    """
    outgoing = parse_message(parameters, now, time_zone, message_key_text)
    envelope: JsonObject = {
        "id": outgoing.id,
        "sender": outgoing.sender.address,
        "subject": outgoing.subject,
        "recipients": [box.address for box in outgoing.recipients],
        "needs_utf8": outgoing.needs_utf8,
        "files": [{"name": file.name, "size": len(file.content)} for file in outgoing.files],
    }
    return envelope, encode_message(outgoing)


def parse_message(
    parameters: JsonObject, now: EpochMs, time_zone: str, message_key_text: str
) -> OutgoingMessage:
    """The message that a step's parameters describe. Raises `ValidationFailed` if they are invalid."""
    to, cc, bcc = (
        parse_mailboxes(parameters.get(key), key, label)
        for key, label in (("to", "To"), ("cc", "Cc"), ("bcc", "Bcc"))
    )
    if not (to or cc or bcc):
        raise parameter_error("to", "Enter at least one recipient.")
    sender = parse_mailbox(
        parameters.get("fromEmail"), text_of(parameters, "fromName"), "fromEmail", "From address"
    )
    domain = sender.domain.strip("[]").replace(":", ".")
    return OutgoingMessage(
        sender=sender,
        to=to,
        cc=cc,
        bcc=bcc,
        reply_to=parse_mailboxes(parameters.get("replyTo"), "replyTo", "Reply to"),
        subject=to_single_line(text_of(parameters, "subject")),
        text=replace_surrogates(text_of(parameters, "body")),
        html=replace_surrogates(text_of(parameters, "html")),
        files=parse_files(parameters),
        date=local_time(now, parse_time_zone(time_zone)),
        id=f"<{message_key_text}@{domain}>",
    )


def encode_message(outgoing: OutgoingMessage) -> bytes:
    """The encoded message. Takes a while with large attachments."""
    from email.policy import SMTP, SMTPUTF8

    # 7 bit, which every mail server supports; texts are quoted-printable or base64.
    policy = (SMTPUTF8 if outgoing.needs_utf8 else SMTP).clone(cte_type="7bit")
    return _build_message(outgoing, policy).as_bytes()


def _build_message(outgoing: OutgoingMessage, policy: "EmailPolicy[EmailMessage]") -> "EmailMessage":
    from email.message import EmailMessage
    from email.utils import format_datetime

    from patchbay.integration.mail_headers import RawHeader, address_header, text_header

    message = EmailMessage(policy)
    message["Date"] = RawHeader("Date", format_datetime(outgoing.date))
    message["Message-ID"] = RawHeader("Message-ID", outgoing.id)
    message["From"] = address_header("From", [outgoing.sender])
    for name, boxes in (("To", outgoing.to), ("Cc", outgoing.cc), ("Reply-To", outgoing.reply_to)):
        if boxes:
            message[name] = address_header(name, boxes)
    if not (outgoing.to or outgoing.cc):
        message["To"] = RawHeader("To", "undisclosed-recipients:;")
    message["Subject"] = text_header("Subject", outgoing.subject)
    if outgoing.text or not outgoing.html:
        message.set_content(outgoing.text)
        if outgoing.html:
            message.add_alternative(outgoing.html, subtype="html")
    else:
        message.set_content(outgoing.html, subtype="html")
    for file in outgoing.files:
        _attach(message, file)
    return message


def _attach(message: "EmailMessage", file: File) -> None:
    from patchbay.integration.mail_headers import file_header

    main, sub = media_type(file)
    params = {"charset": "utf-8"} if main == "text" and file.is_utf8 else {}
    message.add_attachment(file.content, maintype=main, subtype=sub, params=params, cte="base64")
    part = cast("list[EmailMessage]", message.get_payload())[-1]
    del part["Content-Disposition"]
    part["Content-Disposition"] = file_header(file.name)


def message_key(ctx: Context) -> str:
    """A key that is the same in every attempt of a step, so that mailboxes can detect duplicates."""
    return ctx.idempotency_key.replace(":", ".") if ctx.execution.id else str(uuid4())
