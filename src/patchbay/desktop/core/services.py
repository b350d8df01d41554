"""What every screen shares: the workspace's backend, view preferences, and the engine takeover offer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.app_store import AppStore
from patchbay.desktop.core.change_feed import ChangeFeed
from patchbay.desktop.core.navigation import Navigator
from patchbay.desktop.core.notices import Notices
from patchbay.desktop.tasks import Tasks
from patchbay.domain.backend import Backend
from patchbay.domain.base import EpochMs


class ViewPreferences:
    """Choices by name. Without `load` and `save` they last as long as the object (tests, the tour)."""

    def __init__(
        self,
        load: Callable[[], Mapping[str, Any]] | None = None,
        save: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self._load, self._save = load, save
        self._choices: dict[str, Any] = dict(load()) if load else {}

    def get(self, name: str, default: str = "") -> str:
        """What was chosen last; `default` when nothing was, or nothing that can be understood."""
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


class EngineTakeoverOffer(QObject):
    """`is_open` while nobody runs the flows and this window could."""

    changed = Signal()
    accepted = Signal()
    taken_over = Signal()
    """This window runs the flows from now on."""
    _reported = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_open = False
        self._reported.connect(self._on_reported)

    def report(self, owner: EngineOwner) -> None:
        """Note who runs the engine; may be called on any thread."""
        self._reported.emit(owner)

    def accept(self) -> None:
        """Run the flows in this window."""
        self.accepted.emit()

    def _on_reported(self, owner: EngineOwner) -> None:
        self.is_open = owner is EngineOwner.NONE
        self.changed.emit()
        if owner is EngineOwner.THIS_WINDOW:
            self.taken_over.emit()


@dataclass(frozen=True)
class Services:
    """Built once per open workspace. `clock` gives now in milliseconds; tests and the tour fix it."""

    backend: Backend
    tasks: Tasks
    feed: ChangeFeed
    apps: AppStore
    navigator: Navigator
    notices: Notices
    clock: Callable[[], EpochMs]
    preferences: ViewPreferences = field(default_factory=ViewPreferences)
    engine_offer: EngineTakeoverOffer = field(default_factory=EngineTakeoverOffer)
