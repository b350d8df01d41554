"""The action “Respond with”."""

from patchbay.integration import Action, Context, OnInterrupted, text
from patchbay.integration.values import text_of


async def _respond(ctx: Context) -> None:
    """Set the output of the tool. The run continues: later steps still run."""
    output = text_of(ctx.parameters, "output")
    ctx.respond(200, {}, output)
    ctx.set_action_item({"output": output})


respond_with = Action(
    key="respondWith",
    name="Respond with",
    description="Returns the output of the tool to the client that called it.",
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    arguments=(
        text(
            "output",
            "Output",
            required=True,
            multiline=True,
            description="Text for the language model, which can be JSON.",
        ),
    ),
    run=_respond,
)
