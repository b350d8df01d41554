"""The dropdowns that lead from a workspace to a list."""

from patchbay.integration import Argument, dropdown

WORKSPACE = dropdown("workspaceId", "Workspace", source="listWorkspaces", required=True, variables=True)


def inside(key: str, label: str, source: str, parent: str, *, required: bool = False) -> Argument:
    """A dropdown of what the place chosen in another field contains."""
    return dropdown(
        key,
        label,
        source=source,
        within=parent,
        required=required,
        variables=True,
    )


def space(*, required: bool = False) -> Argument:
    """The spaces of the workspace."""
    return inside("spaceId", "Space", "listSpaces", "workspaceId", required=required)


def folder(*, required: bool = False) -> Argument:
    """The folders of the space."""
    return inside("folderId", "Folder", "listFolders", "spaceId", required=required)


def task_list(*, required: bool = False) -> Argument:
    """The lists of the folder."""
    return inside("listId", "List", "listLists", "folderId", required=required)
