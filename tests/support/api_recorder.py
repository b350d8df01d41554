"""Calls a Backend and records the parts of the results that every server of the HTTP API returns."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

from tests.support.api_workspaces import ApiWorkspace

from patchbay.domain.apps import AppInfo
from patchbay.domain.base import Model
from patchbay.domain.changes import Change
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.executions import Execution, FlowRef
from patchbay.domain.flows import Flow, Step
from patchbay.domain.folders import Folder, Template
from patchbay.domain.paging import Page
from patchbay.domain.people import Invitation, Role, User

API_FIELDS: dict[type[Model], tuple[str, ...]] = {
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
"""Fields that every server returns, directly or with further requests."""

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class ApiRecorder:
    """Calls the Backend of one workspace. Every call becomes a line of `lines`."""

    def __init__(self, workspace: ApiWorkspace) -> None:
        self.workspace = workspace
        self.server = workspace.server
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
        """The error of an operation that must fail. Messages aren't recorded, because they differ."""
        try:
            result = await self._method(operation)(*args, **named)
        except AppError as error:
            fields = sorted(error.fields()) if isinstance(error, ValidationFailed) else []
            self.called.add(operation)
            self.lines.append((operation, [error.kind, fields]))
            return error
        raise AssertionError(f"{operation} answered {result!r} instead of refusing")

    def _method(self, operation: str) -> Callable[..., Awaitable[Any]]:
        method: Callable[..., Awaitable[Any]] = getattr(self.workspace.backend, operation)
        return method

    def _plain(self, value: Any) -> Any:
        """The recorded fields of a value, with IDs numbered in order of appearance."""
        if isinstance(value, Page):
            return {name: self._plain(getattr(value, name)) for name in API_FIELDS[Page]}
        if isinstance(value, Model):
            return {name: self._plain(getattr(value, name)) for name in API_FIELDS[type(value)]}
        if isinstance(value, tuple):
            return [self._plain(item) for item in value]
        if isinstance(value, str):
            return _ID.sub(self._short, value)
        return value

    def _short(self, found: re.Match[str]) -> str:
        return self._ids.setdefault(found[0], f"#{len(self._ids) + 1}")
