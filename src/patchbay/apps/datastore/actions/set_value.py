"""The action “Set value”."""

from patchbay.integration import Action, Context, OnInterrupted, text

from ..entries import entry, parse_key


async def run(ctx: Context) -> None:
    """Store a value under a key, replacing the previous one."""
    key, value = parse_key(ctx.parameters), ctx.parameters.get("value")
    await ctx.datastore.set(key, value)
    ctx.set_action_item(entry(key, value))


set_value = Action(
    key="setValue",
    name="Set value",
    keywords=(
        "save",
        "write",
        "remember",
        "keep",
        "counter",
    ),
    description="Stores a value for later steps and later runs of this flow.",
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    arguments=(
        text("key", "Key", required=True),
        text("value", "Value", required=True, multiline=True, value_type="typed"),
    ),
    run=run,
)
