"""People of a workspace: users, their roles, and invitations."""

from pydantic import Field

from patchbay.domain.access import Scope
from patchbay.domain.base import EpochMs, Model, UserId

BUILT_IN_SINCE = 1_767_225_600_000
"""Creation time of the built-in roles, which have none of their own: 2026-01-01."""


class Role(Model):
    """The permissions of a person. `scope` is the widest scope of their keys.

    Only admins see other people's data.
    """

    id: str
    name: str
    key: str = ""
    description: str = ""
    scope: Scope = Scope.READ
    is_admin: bool = False
    created_at: EpochMs = BUILT_IN_SINCE
    updated_at: EpochMs = BUILT_IN_SINCE


ADMIN = Role(
    id="a0000000-0000-4000-8000-000000000001",
    name="Admin",
    key="admin",
    scope=Scope.ADMIN,
    is_admin=True,
    description="Full access to everyone's flows and connections, and to people, keys, and settings.",
)
EDITOR = Role(
    id="a0000000-0000-4000-8000-000000000002",
    name="Editor",
    key="editor",
    scope=Scope.OPERATE,
    description="Can create and run their own flows, and manage their own connections and executions.",
)
VIEWER = Role(
    id="a0000000-0000-4000-8000-000000000003",
    name="Viewer",
    key="viewer",
    scope=Scope.READ,
    description="Read-only access to their own flows and executions.",
)
ROLES = (ADMIN, EDITOR, VIEWER)
"""The built-in roles of a Patchbay server. Third-party servers define their own."""


class User(Model):
    """A person with access to the workspace. A new local workspace has one user, the owner."""

    id: UserId
    full_name: str
    email: str
    status: str = "active"
    role: Role | None = None
    created_at: EpochMs = 0
    updated_at: EpochMs = 0


class Invitation(User):
    """A pending invitation. Its ID becomes the user's ID once it is accepted."""

    status: str = "invited"
    accept_invitation_url: str | None = Field(None, repr=False)
    """The link to accept it. Only set in the response that creates the invitation."""
    expires_at: EpochMs | None = None
    mailed: bool = False
    notice: str | None = None
    """Why the invitation email wasn't sent, in words."""
