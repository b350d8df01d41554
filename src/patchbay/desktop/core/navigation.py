"""Places in the window, so that tabs can link to one another without importing each other."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.language import tr


class Tab(StrEnum):
    """The tabs in order."""

    FLOWS = "Flows"
    EXECUTIONS = "Executions"
    FOLDERS = "Folders"
    TEMPLATES = "Templates"
    MY_APPS = "My Apps"

    @property
    def label(self) -> str:
        """Its title in the language of the window."""
        return _TAB_LABELS[self]


_TAB_LABELS = {
    Tab.FLOWS: tr("Flows", "tab"),
    Tab.EXECUTIONS: tr("Executions", "tab"),
    Tab.FOLDERS: tr("Folders", "tab"),
    Tab.TEMPLATES: tr("Templates", "tab"),
    Tab.MY_APPS: tr("My Apps", "tab"),
}


@dataclass(frozen=True)
class Place:
    """A tab, the ID of an object in it to select, a `section` of the tab, and a list filter.

    `where` is the domain filter of the tab's list (`FlowFilter`, `ExecutionFilter`), or None to leave it.
    Sections in use: Flows "editor", "list", and "import" (`id` is then the path of a file); My Apps "add" and
    "reconnect" (`id` is then an app key or connection ID).
    """

    tab: Tab
    id: str | None = None
    section: str | None = None
    where: Any = None


class Navigator(QObject):
    """Requests to show a place or the settings; the main window handles them."""

    requested = Signal(object)
    settings_requested = Signal(str)

    def go(self, place: Place) -> None:
        """Ask the window to show a place."""
        self.requested.emit(place)

    def open_settings(self, page: str) -> None:
        """Open the settings at a page, by its English title."""
        self.settings_requested.emit(page)
