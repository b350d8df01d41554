"""The action “Send an email”."""

from typing import Any, cast

from patchbay.domain.base import Json
from patchbay.domain.errors import NotSupported
from patchbay.integration import Action, Context, text
from patchbay.integration.values import parameter_error

from ..attachments import attachment_rows
from ..message import Envelope, compose, message_key
from ..session import Session, session

_SEVERAL = "Separate multiple addresses with commas."
_DATA_SECONDS = 180.0
_COMPOSING_SECONDS = 30.0
_LARGEST_MESSAGE = 64 << 20


async def run(ctx: Context) -> None:
    """Send a message. It is sent to all recipients or to none, so it can be repeated after a rejection."""
    found, content = await ctx.compute(
        compose,
        ctx.parameters,
        ctx.now,
        ctx.time_zone,
        message_key(ctx),
        seconds=_COMPOSING_SECONDS,
        megabytes=512,
        output_bytes=_LARGEST_MESSAGE,
    )
    letter = Envelope(**cast(dict[str, Any], found))
    async with session(ctx) as server:
        # Limits that the server announces when connecting.
        largest, host = server.largest, server.server.host
        if largest is not None and len(content) > largest:
            raise parameter_error(
                "attachments",
                f"The message is {len(content) / 1e6:.1f} MB; {host} takes {largest / 1e6:.1f} MB.",
                "Send a link instead of the file.",
            )
        if letter.needs_utf8 and not server.client.supports_extension("smtputf8"):
            raise NotSupported(
                f"{host} doesn't support non-ASCII characters before the @.",
                feature="smtputf8",
                todo="Use another address, or another mail server.",
            )

        response = await _send(server, letter, content)
    recipients: list[Json] = [*letter.recipients]
    ctx.set_action_item(
        {
            "messageId": letter.id,
            "from": letter.sender,
            "recipients": recipients,
            "subject": letter.subject,
            "size": len(content),
            "attachments": [*letter.files],
            "response": response,
        }
    )


async def _send(server: Session, letter: Envelope, content: bytes) -> str:
    from aiosmtplib import SMTPDataError, SMTPRecipientRefused, SMTPSenderRefused

    client = server.client
    options = ["SMTPUTF8"] if letter.needs_utf8 else []
    if server.largest is not None:
        options.append(f"SIZE={len(content)}")
    encoding = "utf-8" if letter.needs_utf8 else "ascii"
    try:
        await client.mail(letter.sender, options=options, encoding=encoding)
        for address in letter.recipients:
            await client.rcpt(address, encoding=encoding)
        response = await client.data(content, timeout=_DATA_SECONDS)
    except SMTPSenderRefused as error:
        raise server.rejection(error, "sender", f"MAIL FROM:<{error.sender}>") from error
    except SMTPRecipientRefused as error:
        raise server.rejection(error, "recipient", f"RCPT TO:<{error.recipient}>") from error
    except SMTPDataError as error:
        raise server.rejection(error, "message", "DATA") from error
    return f"{response.code} {' '.join(response.message.split())}"


send_email = Action(
    key="sendEmail",
    name="Send an email",
    description="Sends a message as text, HTML, or both, with optional attachments.",
    arguments=(
        text("fromName", "From name", placeholder="Ada Lovelace"),
        text("fromEmail", "From address", required=True, placeholder="ada@example.com"),
        text("replyTo", "Reply to", description="Address for replies, if not the sender."),
        text("to", "To", required=True, description=_SEVERAL),
        text("cc", "Cc", description=_SEVERAL),
        text("bcc", "Bcc", description="Other recipients can't see these addresses.  " + _SEVERAL),
        text("subject", "Subject", required=True),
        text("body", "Text", multiline=True),
        text(
            "html",
            "HTML",
            multiline=True,
            description="Shown instead of the text if the mail program supports HTML.",
        ),
        attachment_rows(),
    ),
    run=run,
)
