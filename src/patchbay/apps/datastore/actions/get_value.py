"""The action “Get value”."""

from patchbay.integration import Action, Context, OnInterrupted, text

from ..entries import entry, parse_key


async def run(ctx: Context) -> None:
    """Get a value; null if it was never stored."""
    key = parse_key(ctx.parameters)
    ctx.set_action_item(entry(key, await ctx.datastore.get(key)))


get_value = Action(
    key="getValue",
    name="Get value",
    keywords=(
        "read",
        "load",
        "look up",
        "recall",
        "remembered",
    ),
    description="Returns a value stored by an earlier run of this flow.",
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    arguments=(text("key", "Key", required=True),),
    run=run,
)
