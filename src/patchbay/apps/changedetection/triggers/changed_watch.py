"""The trigger “Changed watch”."""

from patchbay.integration import Context, Trigger, dropdown, segment


async def run(ctx: Context) -> None:
    """Push a watch once for each change; the time of the change is part of the item ID."""
    watch_id = ctx.parameters.get("watchId")
    watch = (await ctx.http.get(f"/watch/{segment(watch_id)}")).json()
    changed = watch.get("last_changed") or 0
    if changed or ctx.execution.test_run:
        ctx.push_trigger_item(watch, f"{watch_id}-{changed}")


changed_watch = Trigger(
    key="changedWatch",
    name="Changed watch",
    description="Starts when a watched page changes.",
    arguments=(dropdown("watchId", "Watch", source="listWatches", required=True, variables=True),),
    run=run,
)
