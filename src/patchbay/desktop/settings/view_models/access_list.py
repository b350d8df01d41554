"""The base of the view-models of people and API keys."""

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.screen_view_model import ScreenViewModel
from patchbay.desktop.core.services import Services
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import AppError


class AccessListViewModel(ScreenViewModel):
    """A list that is reloaded when people or keys change, and the outcome of the last command."""

    changed = Signal()

    reloads_on = (ResourceType.USER, ResourceType.API_KEY)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(services, parent)
        self.services = services
        self.command_error: AppError | None = None
        """The error of the last command."""
        self.success_message = ""
        """The success message of the last command."""
        self.failed.connect(self.changed)
