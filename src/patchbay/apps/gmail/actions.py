"""Actions."""

from typing import Any

from patchbay.domain.base import JsonObject
from patchbay.domain.fields import Argument
from patchbay.integration import Action, Context, OnInterrupted, dropdown, request_action, rows, text
from patchbay.integration.described_requests import prepare, values_of

from .reading import headers_of
from .writing import encode

_MAILBOX = "/gmail/v1/users/{auth.userId}"
_SEND = f"POST {_MAILBOX}/messages/send"
_ENCODING_SECONDS = 30.0
_THREAD_HEADERS = ["Message-ID", "References", "Subject", "From", "Reply-To", "To"]
_SENDER = (
    dropdown(
        "from",
        "From address",
        source="listEmails",
        description="Leave empty for the main address of the account.",
        variables=True,
    ),
    text("fromName", "From name"),
)
_REPLY_TO = text("replyTo", "Reply to", description="Address for replies, if not the sender.")
_SUBJECT = text("subject", "Subject", required=True)
_BODY_TYPES = (("plain", "Plain text"), ("html", "HTML"))
_BODY = (
    dropdown("bodyType", "Body type", _BODY_TYPES, value="plain", variables=True),
    text("emailBody", "Body", required=True, multiline=True),
)
_SIGNATURE = dropdown(
    "signature",
    "Signature",
    source="listSignatures",
    description="One of the signatures in your Gmail settings.",
    variables=True,
)


def _recipients(*, required: bool) -> tuple[Argument, ...]:
    def addresses(plural: str, key: str, label: str, is_required: bool) -> Argument:
        return rows(
            plural,
            label,
            [text(key, "Address", required=is_required)],
            required=is_required,
            add="Add address",
        )

    return (
        addresses("tos", "to", "To", required),
        addresses("ccs", "cc", "Cc", False),
        addresses("bccs", "bcc", "Bcc", False),
    )


async def _raw(ctx: Context, original: JsonObject | None = None) -> str:
    return await ctx.compute(
        encode,
        ctx.parameters,
        original or {},
        seconds=_ENCODING_SECONDS,
        megabytes=512,
        output_bytes=64 << 20,
    )


async def _post(ctx: Context, line: str, body: JsonObject) -> None:
    response = await prepare(line, values_of(ctx), body=lambda parameters: body).send(ctx)
    ctx.set_action_item(response.json())


async def _create_draft(ctx: Context) -> None:
    await _post(ctx, f"POST {_MAILBOX}/drafts", {"message": {"raw": await _raw(ctx)}})


async def _send_email(ctx: Context) -> None:
    await _post(ctx, _SEND, {"raw": await _raw(ctx)})


async def _reply_to_email(ctx: Context) -> None:
    """Send a reply that mail programs show in the same conversation as the original message."""
    original = await _last_message(ctx) if ctx.parameters.get("threadId") else {}
    label_id = ctx.parameters.get("labelId")
    body: JsonObject = {
        "threadId": ctx.parameters.get("threadId"),
        "labelIds": [label_id] if label_id else None,
        "raw": await _raw(ctx, original),
    }
    await _post(ctx, _SEND, body)


async def _last_message(ctx: Context) -> JsonObject:
    """The headers of the thread's last message from someone else; if there is none, of the last one."""
    query: JsonObject = {"format": "metadata", "metadataHeaders": [*_THREAD_HEADERS]}
    request = prepare(f"{_MAILBOX}/threads/{{threadId}}", values_of(ctx), query=query)
    messages: list[dict[str, Any]] = (await request.send(ctx)).json()["messages"]
    sent = [message for message in messages if "DRAFT" not in message.get("labelIds", ())]
    received = [message for message in sent if "SENT" not in message.get("labelIds", ())]
    if received or not sent:
        return {**headers_of((received or messages)[-1])}
    own = headers_of(sent[-1])
    return {**own, "reply-to": own.get("to", "")}


create_draft = Action(
    key="createDraft",
    name="Create draft",
    description="Creates a draft, which you can check and send in Gmail.",
    arguments=(_SUBJECT, *_recipients(required=False), *_SENDER, *_BODY, _SIGNATURE),
    run=_create_draft,
)

reply_to_email = Action(
    key="replyToEmail",
    name="Reply to email",
    description="Replies to the last message of a thread. Without recipients, the reply goes to its sender.",
    arguments=(
        dropdown("threadId", "Thread", source="listThreads", variables=True),
        *_recipients(required=False),
        *_SENDER,
        _REPLY_TO,
        *_BODY,
        dropdown("labelId", "Label", source="listLabels", description="Added to the reply.", variables=True),
    ),
    run=_reply_to_email,
)

send_email = Action(
    key="sendEmail",
    name="Send email",
    description="Sends an email.",
    arguments=(*_recipients(required=True), *_SENDER, _REPLY_TO, _SUBJECT, *_BODY, _SIGNATURE),
    run=_send_email,
)


def _message_dropdown() -> Argument:
    return dropdown("messageId", "Message", source="listMessages", required=True, variables=True)


send_to_trash = request_action(
    key="sendToTrash",
    name="Move email to trash",
    description="Moves a message to the trash, where Gmail deletes it after 30 days.",
    arguments=(_message_dropdown(),),
    request=f"POST {_MAILBOX}/messages/{{messageId}}/trash",
    body={},
    on_interrupted=OnInterrupted.REPEAT,
)

star_email = request_action(
    key="starEmail",
    name="Star email",
    description="Stars a message.",
    arguments=(_message_dropdown(),),
    request=f"POST {_MAILBOX}/messages/{{messageId}}/modify",
    body={"addLabelIds": ["STARRED"]},
    on_interrupted=OnInterrupted.REPEAT,
)
