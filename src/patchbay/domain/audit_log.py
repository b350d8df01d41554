"""The audit log: who changed what in a workspace, and when."""

from contextvars import ContextVar
from enum import StrEnum

from pydantic import Field

from patchbay.domain.access import Scope
from patchbay.domain.base import EpochMs, Filter, Model, UserId
from patchbay.domain.changes import ResourceType


class ActorKind(StrEnum):
    """How an actor reaches the workspace."""

    WINDOW = "window"
    COMMAND = "command"
    KEY = "key"
    INVITATION = "invitation"
    PROGRAM = "program"
    """Patchbay itself."""


class Actor(Model):
    """Who performs an operation. `id` and `name` are the API key's; `address` is the client's address."""

    kind: ActorKind
    name: str
    id: str | None = None
    user_id: UserId | None = None
    """The owner of resources they create; None means the owner of the workspace."""
    address: str | None = None
    scope: Scope = Field(Scope.READ, exclude=True)
    """Their permissions. Not part of the audit log."""

    @property
    def has_full_rights(self) -> bool:
        """Whether they have admin rights, which programs need to run without isolation."""
        return self.scope is Scope.ADMIN


current_actor: ContextVar[Actor | None] = ContextVar("acting", default=None)
"""The actor on whose behalf the current task runs; None means the user who opened the workspace."""


def current_person() -> str:
    """The person who acts, with all their API keys, or the key if it has no owner, for counting requests."""
    actor = current_actor.get()
    return "" if actor is None else actor.user_id or actor.id or actor.kind


class AuditAction(StrEnum):
    """The kind of change."""

    CREATED = "created"
    UPDATED = "updated"
    RENAMED = "renamed"
    MOVED = "moved"
    DELETED = "deleted"
    RESTORED = "restored"
    PUBLISHED = "published"
    UNPUBLISHED = "unpublished"
    PAUSED = "paused"
    RESUMED = "resumed"
    RUN = "run"
    RETRIED = "retried"
    REPLAYED = "replayed"
    CANCELLED = "cancelled"
    TESTED = "tested"
    RECONNECTED = "reconnected"
    SIGNED_OUT = "signed_out"
    """The sign-in of a deleted connection was ended at its service."""
    SIGN_OUT_FAILED = "sign_out_failed"
    INVITED = "invited"
    JOINED = "joined"
    CLEANED_UP = "tidied"


class AuditEntry(Model):
    """One change. `subject` is the name that the resource had at the time; `id` increases with each entry."""

    id: int
    at: EpochMs
    actor: Actor
    deed: AuditAction
    noun: ResourceType
    subject_id: str | None = None
    subject: str = ""


class AuditFilter(Filter):
    """Which entries to list; all given conditions must match.

    `text` is part of the subject or the actor's name.
    """

    text: str | None = None
    noun: ResourceType | None = None
    subject_id: str | None = None
    actor_id: str | None = None
    after: EpochMs | None = None
    before: EpochMs | None = None
