"""The action “Move message”."""

from typing import TYPE_CHECKING

from patchbay.integration import Action, Context
from patchbay.integration.values import parameter_error, text_of

from ..folders import MessageId, folder_choice, folder_of, message_field
from ..session import run_signed_in

if TYPE_CHECKING:
    from imapclient import IMAPClient


async def run(ctx: Context) -> None:
    """Move a message to another folder of the same mailbox."""
    message, folder = MessageId.entered(ctx.parameters), folder_of(ctx.parameters)
    target = text_of(ctx.parameters, "target").strip()
    if not target:
        raise parameter_error("target", "Choose the folder to move the message to.")

    def move(client: "IMAPClient") -> None:
        message.open(client, folder)
        if client.has_capability("MOVE"):
            client.move([message.uid], target)
            return
        client.copy([message.uid], target)
        client.delete_messages([message.uid])
        if client.has_capability("UIDPLUS"):  # without it, expunging would remove other deleted messages, too
            client.uid_expunge([message.uid])

    await run_signed_in(ctx, move)
    ctx.set_action_item({"uid": message.uid, "folder": folder, "target": target})


move_message = Action(
    key="moveMessage",
    name="Move message",
    description="Moves a message to another folder.",
    arguments=(folder_choice(), message_field(), folder_choice("target", "To folder", value=None)),
    run=run,
)
