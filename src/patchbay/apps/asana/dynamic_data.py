"""Workspaces and what is in them, for dropdowns."""

from patchbay.integration import cursor, option_list

PAGES = cursor("next_page.offset", "offset", limit_key="limit")
_IN_WORKSPACE = {"workspace": "{workspaceId}"}

list_workspaces = option_list("listWorkspaces", "/1.0/workspaces", at="data", value="{gid}", pages=PAGES)
list_projects = option_list(
    "listProjects",
    "/1.0/projects",
    query=_IN_WORKSPACE,
    at="data",
    value="{gid}",
    pages=PAGES,
    requires=("workspaceId",),
)
list_sections = option_list(
    "listSections",
    "/1.0/projects/{projectId}/sections",
    at="data",
    value="{gid}",
    pages=PAGES,
    requires=("projectId",),
    in_order=True,
)
list_tags = option_list(
    "listTags",
    "/1.0/tags",
    query=_IN_WORKSPACE,
    at="data",
    value="{gid}",
    pages=PAGES,
    requires=("workspaceId",),
)
list_teams = option_list(
    "listTeams",
    "/1.0/workspaces/{workspaceId}/teams",
    at="data",
    value="{gid}",
    pages=PAGES,
    requires=("workspaceId",),
)
list_users = option_list(
    "listUsers",
    "/1.0/users",
    query=_IN_WORKSPACE,
    at="data",
    value="{gid}",
    pages=PAGES,
    requires=("workspaceId",),
)
