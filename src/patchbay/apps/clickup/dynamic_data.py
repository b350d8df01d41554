"""Workspaces and what is in them, for dropdowns."""

from patchbay.integration import option_list, page_numbers

list_workspaces = option_list("listWorkspaces", "/v2/team", at="teams")
list_spaces = option_list("listSpaces", "/v2/team/{workspaceId}/space", at="spaces")
list_folders = option_list("listFolders", "/v2/space/{spaceId}/folder", at="folders")
list_lists = option_list("listLists", "/v2/folder/{folderId}/list", at="lists")
list_tasks = option_list(
    "listTasks",
    "/v2/list/{listId}/task",
    query={"order_by": "created", "reverse": True},
    at="tasks",
    pages=page_numbers(first=0),
    in_order=True,
)
list_assignees = option_list(
    "listAssignees", "/v2/list/{listId}/member", at="members", label="{username|email}"
)
list_statuses = option_list(
    "listStatuses",
    "/v2/list/{listId}",
    at="statuses",
    label="{status}",
    value="{status}",
    in_order=True,
)
list_tags = option_list("listTags", "/v2/space/{spaceId}/tag", at="tags", value="{name}")
