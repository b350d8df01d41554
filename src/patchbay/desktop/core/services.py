"""Shared by all screens: the workspace's backend, view preferences, and who runs the engine."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.app_store import AppStore
from patchbay.desktop.core.backups import BackupAccess
from patchbay.desktop.core.change_feed import ChangeFeed
from patchbay.desktop.core.navigation import Navigator
from patchbay.desktop.core.notices import Notices
from patchbay.desktop.core.notification_preferences import NotificationPreferences
from patchbay.desktop.core.taken_port import ListenAccess
from patchbay.desktop.core.vault import VaultAccess
from patchbay.desktop.tasks import Tasks
from patchbay.domain.backend import Backend
from patchbay.domain.base import EpochMs

Notify = Callable[[str, str, Mapping[str, str]], Coroutine[Any, Any, str | None]]
"""Shows a notification (title, text, labels of buttons by key), and returns the key of the clicked button.

None if the notification is closed. Raises `NotSupported` if the desktop can't.
"""


class ViewPreferences:
    """Choices by name. Without `load` and `save`, they last as long as the object (tests, the tour)."""

    def __init__(
        self,
        load: Callable[[], Mapping[str, Any]] | None = None,
        save: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self._load, self._save = load, save
        self._choices: dict[str, Any] = dict(load()) if load else {}

    def get(self, name: str, default: str = "") -> str:
        """The last choice; `default` if there is none, or the stored value is invalid."""
        value = self._choices.get(name, default)
        return value if isinstance(value, str) else default

    def put(self, name: str, value: str) -> None:
        self._choices[name] = value
        if self._load and self._save:
            self._save({**self._load(), name: value})


class EngineOwner(StrEnum):
    """Which program runs the engine."""

    THIS_WINDOW = "this window"
    ANOTHER_PROGRAM = "another program"
    NONE = "nobody"


class EngineOwnership(QObject):
    """Which program runs the engine of this computer's workspace; `is_missing` while none does."""

    changed = Signal()
    taken_over = Signal()
    """Emitted when this window has started the engine in place of another program."""
    _reported = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_missing = False
        self._reported.connect(self._on_reported)

    def report(self, owner: EngineOwner) -> None:
        """Set which program runs the engine. Can be called on any thread."""
        self._reported.emit(owner)

    def _on_reported(self, owner: EngineOwner) -> None:
        self.is_missing = owner is EngineOwner.NONE
        self.changed.emit()
        if owner is EngineOwner.THIS_WINDOW:
            self.taken_over.emit()


@dataclass(frozen=True)
class Services:
    """Services shared by all screens, created once per open workspace. `clock` returns the current time."""

    backend: Backend
    tasks: Tasks
    feed: ChangeFeed
    apps: AppStore
    navigator: Navigator
    notices: Notices
    clock: Callable[[], EpochMs]
    preferences: ViewPreferences = field(default_factory=ViewPreferences)
    engine_owner: EngineOwnership = field(default_factory=EngineOwnership)
    vault: VaultAccess | None = None
    """The passphrase vault; None if the workspace can't have one (demo, server)."""
    listening: ListenAccess | None = None
    """Where this window listens for webhooks; None if it doesn't (demo, server)."""
    notify: Notify | None = None
    """Shows a notification of the desktop with buttons; None where the desktop has none."""
    backups: BackupAccess | None = None
    """Backups of this computer; None for other workspaces."""
    notifications: NotificationPreferences = field(default_factory=NotificationPreferences)
    """Which notifications the person on this computer wants."""
