"""What was entered for a message, and the message itself."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, cast
from uuid import uuid4

from patchbay.domain.base import EpochMs, JsonObject
from patchbay.integration import Context
from patchbay.integration.values import at, refuse, text_of, zone

from .addresses import Mailbox, mailboxes, one_line, one_mailbox, whole
from .attachments import File, files_of

if TYPE_CHECKING:
    from email.message import EmailMessage
    from email.policy import EmailPolicy


@dataclass(frozen=True, kw_only=True)
class Envelope:
    """What the server, and the output of the step, need to know of a message."""

    id: str
    sender: str
    recipients: list[str]
    needs_utf8: bool
    subject: str
    files: list[JsonObject]


@dataclass(frozen=True)
class Letter:
    """A message before it is put into its form for the way."""

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
        """Everybody who gets it, each address once."""
        every = (*self.to, *self.cc, *self.bcc)
        return tuple({box.address.casefold(): box for box in every}.values())

    @property
    def needs_utf8(self) -> bool:
        """Whether an address cannot be written in ASCII, which only servers with SMTPUTF8 take."""
        every = (self.sender, *self.recipients, *self.reply_to)
        return not all(box.is_ascii for box in every)


def compose(given: JsonObject, now: EpochMs, time_zone: str, unique: str) -> tuple[JsonObject, bytes]:
    """The envelope of a message, as keywords of `Envelope`, and its content.

    For a worker process: addresses and texts may come from anybody, and attachments may be large. `unique`
    makes the id of the message. Raises `ValidationFailed` for whatever isn't right.
    """
    letter = letter_of(given, now, time_zone, unique)
    envelope: JsonObject = {
        "id": letter.id, "sender": letter.sender.address, "subject": letter.subject,
        "recipients": [box.address for box in letter.recipients], "needs_utf8": letter.needs_utf8,
        "files": [{"name": file.name, "size": len(file.content)} for file in letter.files],
    }  # fmt: skip
    return envelope, encoded(letter)


def letter_of(given: JsonObject, now: EpochMs, time_zone: str, unique: str) -> Letter:
    """The letter that a step describes. Raises `ValidationFailed` in words for whatever is not right."""
    to, cc, bcc = (
        mailboxes(given.get(key), key, label) for key, label in (("to", "To"), ("cc", "Cc"), ("bcc", "Bcc"))
    )
    if not (to or cc or bcc):
        raise refuse("to", "Enter whom the message goes to.")
    sender = one_mailbox(given.get("fromEmail"), text_of(given, "fromName"), "fromEmail", "From address")
    return Letter(
        sender=sender,
        to=to,
        cc=cc,
        bcc=bcc,
        reply_to=mailboxes(given.get("replyTo"), "replyTo", "Reply to"),
        subject=one_line(text_of(given, "subject")),
        text=whole(text_of(given, "body")),
        html=whole(text_of(given, "html")),
        files=files_of(given),
        date=at(now, zone(time_zone)),
        id=_message_id(unique, sender),
    )


def encoded(letter: Letter) -> bytes:
    """The message as it goes over the wire. Takes a while with large attachments."""
    from email.policy import SMTP, SMTPUTF8

    # 7 bit, so that every server on the way can take it; texts are then quoted-printable or base64.
    policy = (SMTPUTF8 if letter.needs_utf8 else SMTP).clone(cte_type="7bit")
    return _built(letter, policy).as_bytes()


def _built(letter: Letter, policy: "EmailPolicy[EmailMessage]") -> "EmailMessage":
    from email.message import EmailMessage
    from email.utils import format_datetime

    from .headers import Line, address_line, text_line

    message = EmailMessage(policy)
    message["Date"] = Line("Date", format_datetime(letter.date))
    message["Message-ID"] = Line("Message-ID", letter.id)
    message["From"] = address_line("From", [letter.sender])
    for name, boxes in (("To", letter.to), ("Cc", letter.cc), ("Reply-To", letter.reply_to)):
        if boxes:
            message[name] = address_line(name, boxes)
    if not (letter.to or letter.cc):
        message["To"] = Line("To", "undisclosed-recipients:;")
    message["Subject"] = text_line("Subject", letter.subject)
    _fill(message, letter)
    return message


def _fill(message: "EmailMessage", letter: Letter) -> None:
    if letter.text or not letter.html:
        message.set_content(letter.text)
        if letter.html:
            message.add_alternative(letter.html, subtype="html")
    else:
        message.set_content(letter.html, subtype="html")
    for file in letter.files:
        _attach(message, file)


def _attach(message: "EmailMessage", file: File) -> None:
    from .headers import file_line

    main, sub = file.media_type
    params = {"charset": "utf-8"} if main == "text" and file.is_utf8 else {}
    message.add_attachment(file.content, maintype=main, subtype=sub, params=params, cte="base64")
    part = cast("list[EmailMessage]", message.get_payload())[-1]
    del part["Content-Disposition"]
    part["Content-Disposition"] = file_line(file.name)


def unique_of(ctx: Context) -> str:
    """The same for every try of the same step, so that a mailbox can tell that it has it already."""
    return ctx.idempotency_key.replace(":", ".") if ctx.execution.id else str(uuid4())


def _message_id(unique: str, sender: Mailbox) -> str:
    domain = sender.domain.strip("[]").replace(":", ".")
    return f"<{unique}@{domain}>"
