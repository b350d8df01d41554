from patchbay.integration import Action, Context, OnInterrupted, segment, text
from patchbay.integration.values import text_of


async def run(ctx: Context) -> None:
    """Stop watching a page; its history is deleted with it."""
    watch_id = text_of(ctx.parameters, "watchId").strip()
    await ctx.http.delete(f"/watch/{segment(watch_id)}")
    ctx.set_action_item({"watchId": watch_id, "deleted": True})


delete_watch = Action(
    key="deleteWatch",
    name="Delete watch",
    description="Stops watching a web page and deletes its history.",
    on_interrupted=OnInterrupted.REPEAT,
    arguments=(text("watchId", "Watch ID", required=True),),
    run=run,
)
