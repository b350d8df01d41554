"""The switch that starts Patchbay when the user signs in to this computer."""

import asyncio
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.tasks import Tasks
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
        self._item, self._tasks = item, tasks
        self._one_at_a_time = asyncio.Lock()
        self.enabled: bool | None = None
        self.error: AppError | None = None

    def load(self) -> None:
        """Read whether the entry exists."""
        self._tasks.run(self, self._read(), done=self._on_read)

    def set_enabled(self, enabled: bool) -> None:
        """Add or remove the entry. What is shown is corrected if that fails."""
        if enabled is not self.enabled:
            self.enabled, self.error = enabled, None
            self._tasks.run(self, self._change(enabled), failed=self._on_failed)
            self.changed.emit()

    async def _read(self) -> bool:
        async with self._one_at_a_time:
            return await asyncio.to_thread(self._item.is_enabled)

    async def _change(self, enabled: bool) -> None:
        async with self._one_at_a_time:
            await asyncio.to_thread(self._item.set_enabled, enabled)

    def _on_read(self, enabled: bool) -> None:
        self.enabled = enabled
        self.changed.emit()

    def _on_failed(self, error: AppError) -> None:
        self.error = error
        self.load()
