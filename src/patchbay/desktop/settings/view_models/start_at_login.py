"""The switch that starts Patchbay when the user signs in to this computer."""

import asyncio
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.tasks import LatestRequest, Tasks
from patchbay.domain.errors import AppError


class LoginItem(Protocol):
    """The entry with which the system starts the program at login."""

    def is_enabled(self) -> bool:
        """Whether the system starts the program at login."""
        ...

    def set_enabled(self, enabled: bool) -> None:
        """Add or remove the entry. Raises `AppError`."""
        ...


class StartAtLogin(QObject):
    """Reads and changes the entry in a background thread. `enabled` is None until it was read."""

    changed = Signal()

    def __init__(self, item: LoginItem, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._item = item
        self._request = LatestRequest(tasks, self)
        self.enabled: bool | None = None
        self.error: AppError | None = None

    def load(self) -> None:
        """Read whether the entry exists."""
        self._request.run(
            asyncio.to_thread(self._item.is_enabled), done=self._on_read, failed=self._on_failed
        )

    def set_enabled(self, enabled: bool) -> None:
        """Add or remove the entry."""
        if enabled is not self.enabled:
            work = asyncio.to_thread(self._item.set_enabled, enabled)
            self._request.run(work, done=lambda _: self._on_read(enabled), failed=self._on_failed)

    def _on_read(self, enabled: bool) -> None:
        self.enabled, self.error = enabled, None
        self.changed.emit()

    def _on_failed(self, error: AppError) -> None:
        self.error = error
        self.changed.emit()
