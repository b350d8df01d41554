"""Who may call an operation of the `Backend`: declared beside each operation, read by server and tests."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeVar

from patchbay.domain.access import Scope

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
    bound: Audience
    starts_runs: bool = False
    """Whether it starts or tests flows, or lets them start: `docs/access.md` says who may start what."""


def requires_scope(scope: Scope, bound: Audience, *, starts_runs: bool = False) -> Callable[[F], F]:
    """Declare who may call an operation."""

    def declare(operation: F) -> F:
        operation.__dict__["operation_rule"] = OperationRule(scope, bound, starts_runs)
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
