"""The base of the view-models of people and API keys."""

from abc import abstractmethod

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import AppError


class AccessListViewModel(QObject):
    """A list that is reloaded when people or keys change, and the outcome of the last command."""

    changed = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.services, self._backend = services, services.backend
        self.loaded = False
        self.error: AppError | None = None
        """Why the list couldn't be loaded."""
        self.command_error: AppError | None = None
        """The error of the last command."""
        self.success_message = ""
        """The success message of the last command."""
        self._load_request = LatestRequest(services.tasks, self)
        services.feed.changed.connect(self._on_change)

    @abstractmethod
    def load(self) -> None:
        """Load the list."""

    def _on_load_failed(self, error: AppError) -> None:
        self.error = error
        self.changed.emit()

    def _on_change(self, change: Change) -> None:
        if change.noun in (ResourceType.USER, ResourceType.API_KEY) and self.loaded:
            self.load()
