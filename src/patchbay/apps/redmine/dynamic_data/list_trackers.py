"""The list of trackers to choose from."""

from collections.abc import Sequence

from patchbay.integration import Context, DynamicData, Option, segment


async def load(ctx: Context) -> Sequence[Option]:
    """The trackers of the chosen project; all if none is chosen."""
    if project := ctx.parameters.get("projectId"):
        response = await ctx.http.get(f"/projects/{segment(project)}.json", params={"include": "trackers"})
        trackers = response.json()["project"]["trackers"]
    else:
        trackers = (await ctx.http.get("/trackers.json")).json()["trackers"]
    return [Option(label=str(item["name"]), value=str(item["id"])) for item in trackers]


list_trackers = DynamicData(key="listTrackers", load=load)
