"""Workspaces and what is in them, for dropdowns."""

from patchbay.domain.base import Json
from patchbay.integration import DynamicData, cursor, option_list

PAGES = cursor("next_page.offset", "offset", limit_key="limit")


def _list(key: str, path: str, **query: Json) -> DynamicData:
    """The options of a list. If the query has the workspace, it has to be chosen."""
    return option_list(
        key,
        path,
        query=query,
        at="data",
        value="{gid}",
        pages=PAGES,
        requires=("workspaceId",) if query else (),
        in_order=key == "listSections",
    )


list_workspaces = _list("listWorkspaces", "/1.0/workspaces")
list_projects = _list("listProjects", "/1.0/projects", workspace="{workspaceId}")
list_sections = _list("listSections", "/1.0/projects/{projectId}/sections")
list_tags = _list("listTags", "/1.0/tags", workspace="{workspaceId}")
list_teams = _list("listTeams", "/1.0/workspaces/{workspaceId}/teams")
list_users = _list("listUsers", "/1.0/users", workspace="{workspaceId}")
