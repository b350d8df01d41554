from patchbay.integration import Action, Context, text
from patchbay.integration.values import text_of


async def run(ctx: Context) -> None:
    """Start watching a page."""
    answer = await ctx.http.post("/watch", json={"url": text_of(ctx.parameters, "url").strip()})
    ctx.set_action_item(answer.json())


create_watch = Action(
    key="createWatch",
    name="Create watch",
    description="Starts watching a web page.",
    arguments=(text("url", "Page URL", required=True, placeholder="https://example.com"),),
    run=run,
)
