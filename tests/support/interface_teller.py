"""Writes down what came of an operation as far as the interface says it."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

from tests.support.interface_homes import InterfaceHome

from patchbay.domain.apps import AppInfo
from patchbay.domain.base import Model
from patchbay.domain.changes import Change
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.executions import Execution, FlowRef
from patchbay.domain.flows import Flow, Step
from patchbay.domain.folders import Folder, Template
from patchbay.domain.paging import Page
from patchbay.domain.people import Invitation, Role, User

SAID: dict[type[Model], tuple[str, ...]] = {
    AppInfo: ("key", "name"),
    Flow: ("id", "name", "user_id", "folder_id", "active", "status", "execution_interval", "steps"),
    Step: ("type", "key", "app_key", "status", "position"),
    Execution: ("id", "flow", "state", "status", "test_run"),
    FlowRef: ("id", "name"),
    Folder: ("id", "name", "user_id"),
    Template: ("id", "name"),
    User: ("id", "full_name", "email", "status"),
    Invitation: ("id", "full_name", "email", "status"),
    Role: ("is_admin",),
    Page: ("items", "total", "limit", "total_pages"),
    Change: ("noun", "ids", "action"),
}
"""What every service of the interface says of a thing, by itself or when asked in the right way."""

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class InterfaceTeller:
    """Speaks to the Backend of one home. Every call becomes a line of `lines`."""

    def __init__(self, home: InterfaceHome) -> None:
        self.home, self.behind = home, home.behind
        self.lines: list[tuple[str, Any]] = []
        self.called: set[str] = set()
        self._ids: dict[str, str] = {}

    async def __call__(self, operation: str, *args: Any, **named: Any) -> Any:
        """The result of an operation."""
        result = await self._method(operation)(*args, **named)
        self.called.add(operation)
        self.lines.append((operation, self._plain(result)))
        return result

    async def refused(self, operation: str, *args: Any, **named: Any) -> AppError:
        """The error of an operation that must fail; the words are each service's own."""
        try:
            result = await self._method(operation)(*args, **named)
        except AppError as error:
            fields = sorted(error.fields()) if isinstance(error, ValidationFailed) else []
            self.called.add(operation)
            self.lines.append((operation, [error.kind, fields]))
            return error
        raise AssertionError(f"{operation} answered {result!r} instead of refusing")

    def _method(self, operation: str) -> Callable[..., Awaitable[Any]]:
        method: Callable[..., Awaitable[Any]] = getattr(self.home.backend, operation)
        return method

    def _plain(self, value: Any) -> Any:
        """What the interface says of the value, with ids by order of appearance."""
        if isinstance(value, Page):
            return {name: self._plain(getattr(value, name)) for name in SAID[Page]}
        if isinstance(value, Model):
            return {name: self._plain(getattr(value, name)) for name in SAID[type(value)]}
        if isinstance(value, tuple):
            return [self._plain(item) for item in value]
        if isinstance(value, str):
            return _ID.sub(self._short, value)
        return value

    def _short(self, found: re.Match[str]) -> str:
        return self._ids.setdefault(found[0], f"#{len(self._ids) + 1}")
