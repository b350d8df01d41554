from patchbay.integration import Action, Context, text
from patchbay.integration.values import text_of


async def run(ctx: Context) -> None:
    """Add an item; what the service answers is what later steps can use."""
    given = ctx.parameters
    item = {"list": text_of(given, "list"), "title": text_of(given, "title")}
    answer = await ctx.http.post("/items", json=item)
    ctx.set_action_item(answer.json())


create_item = Action(
    key="createItem",
    name="Create item",
    description="Adds an item to a list.",
    # Values of earlier steps can be inserted into each of these.
    arguments=(
        text("list", "List", required=True, placeholder="inbox"),
        text("title", "Title", required=True),
    ),
    # After a crash it may be unknown whether the item was added: then Patchbay asks a person. Where doing it
    # twice does no harm, say on_interrupted=OnInterrupted.REPEAT.
    run=run,
)
