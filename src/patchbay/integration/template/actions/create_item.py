"""The action “Create item”."""

from patchbay.integration import Action, Context, text
from patchbay.integration.values import text_of


async def run(ctx: Context) -> None:
    """Add an item. The service's response becomes the step's output, which later steps can use."""
    parameters = ctx.parameters
    item = {"list": text_of(parameters, "list"), "title": text_of(parameters, "title")}
    response = await ctx.http.post("/items", json=item)
    ctx.set_action_item(response.json())


create_item = Action(
    key="createItem",
    name="Create item",
    description="Adds an item to a list.",
    # Each of these accepts variables, the output of earlier steps.
    arguments=(
        text("list", "List", required=True, placeholder="inbox"),
        text("title", "Title", required=True),
    ),
    # After a crash, it may be unknown whether the item was added; Patchbay then asks the user. If repeating
    # the request does no harm, set on_interrupted=OnInterrupted.REPEAT.
    run=run,
)
