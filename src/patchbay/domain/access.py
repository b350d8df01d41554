"""API keys and their scopes, and the rule that each operation of the `Backend` declares: who may call it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import Field

from patchbay.domain.base import EpochMs, Model, UserId

F = TypeVar("F", bound=Callable[..., Any])


class Scope(StrEnum):
    """What an API key may do. Each scope includes the ones before it.

    `read` is read-only: every GET that isn't for admins only. `operate` also creates, changes, and runs
    flows, and manages connections, folders, templates, and executions. `admin` includes everything else:
    people, API keys, the audit log, the engine, storage, secrets, and the server's settings.
    """

    READ = "read"
    OPERATE = "operate"
    ADMIN = "admin"

    def allows(self, required: "Scope") -> bool:
        """Whether this scope includes `required`."""
        return _ORDER.index(self) >= _ORDER.index(required)


_ORDER = (Scope.READ, Scope.OPERATE, Scope.ADMIN)


class ApiKey(Model):
    """An API key without its value. `hint` shows its first and last four characters.

    A key with a `user_id` has access to what that person may see. One without has access to everything.
    """

    id: str
    name: str
    hint: str
    scope: Scope = Scope.ADMIN
    user_id: UserId | None = None
    created_at: EpochMs
    last_used_at: EpochMs | None = None
    """Rounded down to the minute."""


class NewApiKey(Model):
    """A newly created API key with its value, which isn't stored and can't be shown again."""

    key: ApiKey
    value: str = Field(repr=False)


class AccessGrant(Model):
    """The access that a valid API key gives. `scope` is the key's, limited by its owner's role.

    With `person`, only that person's resources can be read and changed; None means everyone's.
    """

    key: ApiKey
    scope: Scope
    person: UserId | None = None


class Audience(StrEnum):
    """Whose resources an operation may touch for people who aren't admins."""

    SHARED = "shared"
    """Everyone's: shared resources, and resources identified by an unguessable ID."""
    OWNED = "owned"
    """Only their own. Those of others count as not found."""
    ADMIN = "admin"
    """No one's: the operation is for admins only."""


@dataclass(frozen=True, slots=True)
class OperationRule:
    """The scope a key needs for an operation, and which resources the operation may touch."""

    scope: Scope
    audience: Audience
    starts_runs: bool = False
    """Whether it can start a run, directly or later; see `docs/reference/permissions.md`."""


def requires_scope(scope: Scope, audience: Audience, *, starts_runs: bool = False) -> Callable[[F], F]:
    """Declare who may call an operation."""

    def declare(operation: F) -> F:
        operation.__dict__["operation_rule"] = OperationRule(scope, audience, starts_runs)
        return operation

    return declare


def collect_operation_rules(protocol: type) -> Mapping[str, OperationRule]:
    """The rule of each operation of a protocol, by name. Raises `TypeError` for an operation without one."""
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
