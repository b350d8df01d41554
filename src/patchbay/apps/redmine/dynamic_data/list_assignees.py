"""The list of people and groups an issue can be assigned to."""

from collections.abc import Sequence
from typing import Any

from patchbay.integration import Context, DynamicData, Option, segment

from ..paging import fetch_all


async def load(ctx: Context) -> Sequence[Option]:
    """The members of the chosen project: people first, then groups."""
    project = ctx.parameters.get("projectId")
    if not project:
        return []
    path = f"/projects/{segment(project)}/memberships.json"
    members = [item async for item in fetch_all(ctx, path, "memberships")]
    persons = [_option(item["user"]) for item in members if "user" in item]
    groups = [_option(item["group"], " (group)") for item in members if "group" in item]
    return [*sorted(persons, key=_by_name), *sorted(groups, key=_by_name)]


def _option(who: dict[str, Any], mark: str = "") -> Option:
    return Option(label=f"{who['name']}{mark}", value=str(who["id"]))


def _by_name(option: Option) -> str:
    return option.label.casefold()


list_assignees = DynamicData(key="listAssignees", load=load)
