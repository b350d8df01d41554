"""Keys of our HTTP interface, and what each of them may do."""

from enum import StrEnum

from pydantic import Field

from patchbay.domain.base import EpochMs, Model, UserId


class Scope(StrEnum):
    """How far a key reaches; each includes the ones before it.

    `read` sees everything but the keys and the audit log, `operate` also works with flows, connections,
    folders, templates and executions, `admin` also manages people, keys and settings.
    """

    READ = "read"
    OPERATE = "operate"
    ADMIN = "admin"

    def allows(self, required: "Scope") -> bool:
        """Whether a key of this scope may do what needs `required`."""
        return _ORDER.index(self) >= _ORDER.index(required)


_ORDER = (Scope.READ, Scope.OPERATE, Scope.ADMIN)


class ApiKey(Model):
    """A key of our HTTP interface, without its value. `hint` shows its first and last four characters.

    A key of a person (`user_id`) reaches what that person may see; one without reaches everything.
    """

    id: str
    name: str
    hint: str
    scope: Scope = Scope.ADMIN
    user_id: UserId | None = None
    created_at: EpochMs
    last_used_at: EpochMs | None = None
    """When it was used last, to the minute."""


class NewApiKey(Model):
    """A key just made, with its value, which cannot be had again."""

    key: ApiKey
    value: str = Field(repr=False)


class AccessGrant(Model):
    """What opens to whoever shows a key. `scope` is that of the key, and never wider than the person's role.

    `person` is whose things alone are seen and changed; None: everybody's.
    """

    key: ApiKey
    scope: Scope
    person: UserId | None = None
