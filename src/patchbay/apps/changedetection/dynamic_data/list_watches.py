from collections.abc import Sequence

from patchbay.integration import Context, DynamicData, Option


async def load(ctx: Context) -> Sequence[Option]:
    """All watches by title, or by address when they have none."""
    watches = (await ctx.http.get("/watch")).json()
    options = [
        Option(label=str(watch.get("title") or watch.get("url") or key), value=key)
        for key, watch in watches.items()
    ]
    return sorted(options, key=lambda option: option.label.casefold())


list_watches = DynamicData(key="listWatches", load=load)
