"""The list of projects to choose from."""

from collections.abc import Sequence

from patchbay.integration import Context, DynamicData, Option

from ..paging import fetch_all

_ACTIVE = 1


async def load(ctx: Context) -> Sequence[Option]:
    """Active projects by name; a subproject includes the name of its parent."""
    options: list[Option] = []
    async for project in fetch_all(ctx, "/projects.json", "projects"):
        if project["status"] == _ACTIVE:
            parent = project.get("parent")
            label = f"{parent['name']} » {project['name']}" if parent else str(project["name"])
            options.append(Option(label=label, value=str(project["id"])))
    return sorted(options, key=lambda option: option.label.casefold())


list_projects = DynamicData(key="listProjects", load=load)
