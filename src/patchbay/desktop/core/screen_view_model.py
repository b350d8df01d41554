"""The base of view-models that load a screen once and load it again when the workspace changes."""

from abc import abstractmethod
from typing import ClassVar

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import AppError


class ScreenViewModel(QObject):
    """Loading, reloading and the error of a screen. Subclasses implement `_read` and set `loaded`."""

    failed = Signal(object)

    reloads_on: ClassVar[tuple[ResourceType, ...]] = ()
    """Changes of these resources load the screen again."""

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self.loaded = False
        self.error: AppError | None = None
        self._load_started = False
        self._load_request = LatestRequest(services.tasks, self)
        services.feed.changed.connect(self._on_change)

    def load(self) -> None:
        """Load on the first call; later calls do nothing."""
        if not self._load_started:
            self.refresh()

    def refresh(self) -> None:
        """Load the screen again."""
        self._load_started = True
        self._read()

    @abstractmethod
    def _read(self) -> None:
        """Run `_load_request`."""

    def _on_load_failed(self, error: AppError) -> None:
        """Show the error in place of the screen, or as a notice if there is something to see."""
        if self.loaded:
            self._services.notices.failed(error)
            return
        self.error = error
        self.failed.emit(error)

    def _on_change(self, change: Change) -> None:
        if self._load_started and change.noun in self.reloads_on:
            self.refresh()
