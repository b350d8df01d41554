"""Actions."""

from patchbay.domain.base import JsonObject
from patchbay.integration import Action, Context, OnInterrupted, dropdown, segment, text
from patchbay.integration.values import parameter_error, text_of


async def _send(ctx: Context) -> None:
    """Send the message. The server recognizes a repeated one by its transaction ID."""
    parameters = ctx.parameters
    room = text_of(parameters, "roomId").strip()
    if not room:
        raise parameter_error("roomId", "Choose a room.")
    message: JsonObject = {
        "msgtype": text_of(parameters, "kind") or "m.text",
        "body": text_of(parameters, "message"),
    }
    if formatted := text_of(parameters, "html"):
        message |= {"format": "org.matrix.custom.html", "formatted_body": formatted}
    path = f"/_matrix/client/v3/rooms/{segment(room)}/send/m.room.message/{segment(ctx.idempotency_key)}"
    ctx.set_action_item((await ctx.http.put(path, json=message)).json())


send_message = Action(
    key="sendMessage",
    name="Send message",
    description="Sends a message to a room that the account has joined.",
    arguments=(
        dropdown("roomId", "Room", source="listRooms", required=True, variables=True),
        text("message", "Message", required=True, multiline=True),
        text(
            "html",
            "Message as HTML",
            multiline=True,
            description="What clients with formatting show instead.",
        ),
        dropdown(
            "kind",
            "Kind",
            (("m.text", "Message"), ("m.notice", "Notice: for bots, often without a notification")),
            value="m.text",
            variables=True,
        ),
    ),
    run=_send,
    on_interrupted=OnInterrupted.REPEAT_WITH_KEY,
)
