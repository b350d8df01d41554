"""Folders, templates and people."""

from pydantic import Field

from patchbay.domain.access import Scope
from patchbay.domain.base import EpochMs, FolderId, JsonObject, Model, TemplateId, UserId


class Folder(Model):
    """A folder of one user. `stats` is filled where the workspace can tell."""

    id: FolderId
    name: str
    user_id: UserId | None = None
    created_at: EpochMs = 0
    updated_at: EpochMs = 0


class FolderStats(Model):
    """What a folder holds and how its flows did in the last seven days. `folder_id` None: uncategorised."""

    folder_id: FolderId | None
    flows: int = 0
    published: int = 0
    runs: int = 0
    failures: int = 0
    last_run_at: EpochMs | None = None


class Template(Model):
    """A flow to start from; `flow_data` is an exported flow (`FlowExport` on the wire)."""

    id: TemplateId
    name: str
    description: str = ""
    category: str = ""
    flow_data: JsonObject = {}
    created_at: EpochMs = 0
    updated_at: EpochMs = 0


BUILT_IN_SINCE = 1_767_225_600_000
"""2026-01-01: roles are part of the program, so they have no time of their own."""


class Role(Model):
    """What a person may do: `scope` bounds their keys; only admins see what belongs to others."""

    id: str
    name: str
    key: str = ""
    description: str = ""
    scope: Scope = Scope.READ
    is_admin: bool = False
    created_at: EpochMs = BUILT_IN_SINCE
    updated_at: EpochMs = BUILT_IN_SINCE


ADMIN = Role(
    id="a0000000-0000-4000-8000-000000000001", name="Admin", key="admin", scope=Scope.ADMIN, is_admin=True,
    description="Everything, of everybody: people, keys and settings too.",
)  # fmt: skip
EDITOR = Role(
    id="a0000000-0000-4000-8000-000000000002", name="Editor", key="editor", scope=Scope.OPERATE,
    description="Their own flows, connections and executions.",
)  # fmt: skip
VIEWER = Role(
    id="a0000000-0000-4000-8000-000000000003", name="Viewer", key="viewer", scope=Scope.READ,
    description="Look at their own flows and executions.",
)  # fmt: skip
ROLES = (ADMIN, EDITOR, VIEWER)
"""The roles of our own service; others have theirs."""


class User(Model):
    """A person of the service. Local workspaces begin with one, the owner."""

    id: UserId
    full_name: str
    email: str
    status: str = "active"
    role: Role | None = None
    created_at: EpochMs = 0
    updated_at: EpochMs = 0


class Invitation(User):
    """A person who was invited and has not come yet. Its id is the user's to be."""

    status: str = "invited"
    accept_invitation_url: str | None = Field(None, repr=False)
    """The link, right after it was made and never again."""
    expires_at: EpochMs | None = None
    mailed: bool = False
    notice: str | None = None
    """Why it was not mailed, in words."""
