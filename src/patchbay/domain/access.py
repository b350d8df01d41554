"""Keys of our HTTP interface, and what each of them may do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeVar

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


# MERGED: Who may call an operation of the `Backend`: declared beside each operation, read by server
# and tests.

F = TypeVar("F", bound=Callable[..., Any])


class Audience(StrEnum):
    """What of the workspace an operation reaches for people who are no admins."""

    PUBLIC = "everybody's"
    """Not limited by owner: shared by everyone, or reachable only by an unguessable ID."""
    OWNED = "their own"
    """Its arguments name things; those of others are answered like things that aren't there."""
    ADMIN_ONLY = "none"


@dataclass(frozen=True, slots=True)
class OperationRule:
    """The scope a key needs for an operation, and what the operation reaches."""

    scope: Scope
    audience: Audience
    starts_runs: bool = False
    """Whether it starts or tests flows, or lets them start: `docs/reference/permissions.md` says who may start what."""


def requires_scope(scope: Scope, audience: Audience, *, starts_runs: bool = False) -> Callable[[F], F]:
    """Declare who may call an operation."""

    def declare(operation: F) -> F:
        operation.__dict__["operation_rule"] = OperationRule(scope, audience, starts_runs)
        return operation

    return declare


def collect_operation_rules(protocol: type) -> Mapping[str, OperationRule]:
    """The rules of all operations of a protocol. Raises `TypeError` for an operation without one."""
    found: dict[str, OperationRule] = {}
    for name in dir(protocol):
        operation = getattr(protocol, name)
        if name.startswith("_") or not callable(operation):
            continue
        rule = getattr(operation, "operation_rule", None)
        if rule is None:
            raise TypeError(f"{protocol.__name__}.{name} doesn't declare who may call it.")
        found[name] = rule
    return MappingProxyType(found)
