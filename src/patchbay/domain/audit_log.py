"""Who did what, when: every change that people and keys make to a workspace."""

from contextvars import ContextVar
from enum import StrEnum

from pydantic import Field

from patchbay.domain.access import Scope
from patchbay.domain.base import EpochMs, Model, UserId
from patchbay.domain.changes import ResourceType


class ActorKind(StrEnum):
    """Through what somebody acts."""

    WINDOW = "window"
    COMMAND = "command"
    KEY = "key"
    INVITATION = "invitation"
    PROGRAM = "program"
    """Patchbay by itself."""


class Actor(Model):
    """Who acts. `id` and `name` are those of the key; `address` is where a request came from."""

    kind: ActorKind
    name: str
    id: str | None = None
    user_id: UserId | None = None
    """The person new things belong to; None: the owner of the workspace."""
    address: str | None = None
    scope: Scope = Field(Scope.READ, exclude=True)
    """What they may do. Not part of the audit log."""

    @property
    def has_full_rights(self) -> bool:
        """Whether they act as an admin, so that programs they start may run."""
        return self.scope is Scope.ADMIN


current_actor: ContextVar[Actor | None] = ContextVar("acting", default=None)
"""Who causes what the current task does; None: whoever opened the workspace."""


class AuditAction(StrEnum):
    """What was done."""

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
    INVITED = "invited"
    JOINED = "joined"
    CLEANED_UP = "tidied"


class AuditEntry(Model):
    """One change. `subject` is what the thing was called then; entries are counted up by `id`."""

    id: int
    at: EpochMs
    actor: Actor
    deed: AuditAction
    noun: ResourceType
    subject_id: str | None = None
    subject: str = ""


class AuditFilter(Model):
    """Which entries; all given conditions must hold. `text` is part of the subject or the actor's name."""

    text: str | None = None
    noun: ResourceType | None = None
    subject_id: str | None = None
    actor_id: str | None = None
    after: EpochMs | None = None
    before: EpochMs | None = None
