from collections.abc import Sequence
from typing import Any

from patchbay.integration import Context, DynamicData, Option

from ..paging import fetch_all

_ACTIVE = 1


async def load(ctx: Context) -> Sequence[Option]:
    """Active projects by name; a subproject stands with the name of its parent."""
    projects = [
        item async for item in fetch_all(ctx, "/projects.json", "projects") if item["status"] == _ACTIVE
    ]
    options = [Option(label=_label(item), value=str(item["id"])) for item in projects]
    return sorted(options, key=lambda option: option.label.casefold())


def _label(project: dict[str, Any]) -> str:
    parent = project.get("parent")
    return f"{parent['name']} » {project['name']}" if parent else str(project["name"])


list_projects = DynamicData(key="listProjects", load=load)
