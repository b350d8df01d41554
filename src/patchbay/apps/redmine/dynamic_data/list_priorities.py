"""The list of priorities to choose from."""

from collections.abc import Sequence

from patchbay.integration import Context, DynamicData, Option


async def load(ctx: Context) -> Sequence[Option]:
    """The priorities in use, in Redmine's own order."""
    response = await ctx.http.get("/enumerations/issue_priorities.json")
    found = [item for item in response.json()["issue_priorities"] if item.get("active", True)]
    return [Option(label=str(item["name"]), value=str(item["id"])) for item in found]


list_priorities = DynamicData(key="listPriorities", load=load)
