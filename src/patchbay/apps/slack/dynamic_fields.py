"""The bot's name and icon, for messages that are sent as the bot."""

from collections.abc import Sequence

from patchbay.integration import Argument, Context, DynamicFields, text
from patchbay.integration.values import as_bool


async def load(ctx: Context) -> Sequence[Argument]:
    """The two fields. Nothing for messages in the user's own name."""
    if not as_bool(ctx.parameters.get("sendAsBot")):
        return []
    return [
        text("botName", "Bot name", required=True, value="Patchbay"),
        text(
            "botIcon",
            "Bot icon",
            description="The address of an image, or an emoji of your workspace such as :robot_face:.",
        ),
    ]


list_fields_after_send_as_bot = DynamicFields(key="listFieldsAfterSendAsBot", load=load)
