"""The action “Mark as read”."""

from typing import TYPE_CHECKING

from patchbay.integration import Action, Context, OnInterrupted

from ..folders import MessageId, folder_choice, folder_of, message_field
from ..session import run_signed_in

if TYPE_CHECKING:
    from imapclient import IMAPClient


async def run(ctx: Context) -> None:
    """Mark the message as read."""
    message, folder = MessageId.entered(ctx.parameters), folder_of(ctx.parameters)

    def mark(client: "IMAPClient") -> None:
        message.open(client, folder)
        client.add_flags([message.uid], [b"\\Seen"])

    await run_signed_in(ctx, mark)
    ctx.set_action_item({"uid": message.uid, "folder": folder, "seen": True})


mark_as_read = Action(
    key="markAsRead",
    name="Mark as read",
    description="Marks a message as read.",
    on_interrupted=OnInterrupted.REPEAT,
    arguments=(folder_choice(), message_field()),
    run=run,
)
