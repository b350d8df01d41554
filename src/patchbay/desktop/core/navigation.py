"""Where the window can go, so that tabs can send a person to one another without knowing each other."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QObject, Signal


class Tab(StrEnum):
    """The tabs by the names people see, in order."""

    FLOWS = "Flows"
    EXECUTIONS = "Executions"
    FOLDERS = "Folders"
    TEMPLATES = "Templates"
    MY_APPS = "My Apps"


@dataclass(frozen=True)
class Place:
    """A tab, and in it an object to select (`id`), a way to show it (`section`) and a list filter.

    `where` is the domain filter of the tab's list (`FlowFilter`, `ExecutionFilter`) or None to keep it.
    Sections in use: Flows "editor" and "list"; My Apps "add" and "reconnect" (`id` is then app key or
    connection id).
    """

    tab: Tab
    id: str | None = None
    section: str | None = None
    where: Any = None


class Navigator(QObject):
    """Requests to go somewhere; the main window answers them."""

    requested = Signal(object)
    settings_requested = Signal(str)

    def go(self, place: Place) -> None:
        """Ask the window to show a place."""
        self.requested.emit(place)

    def open_settings(self, page: str) -> None:
        """Open the settings at a page, by its name in their side list."""
        self.settings_requested.emit(page)
