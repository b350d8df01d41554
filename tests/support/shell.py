"""Tabs and windows for tests of the frame."""

import asyncio
from typing import Any

from PySide6.QtWidgets import QLineEdit, QVBoxLayout
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.services import Services
from patchbay.desktop.kit.tab_view import TabView
from patchbay.desktop.settings.window_options import ShellOptions
from patchbay.desktop.shell.main_window import MainWindow, open_main_window
from patchbay.desktop.tasks import Tasks
from patchbay.domain.errors import Unreachable


class StubTab(TabView):
    """A tab that remembers what was asked of it."""

    def __init__(self, _: Services) -> None:
        super().__init__()
        self.activations = 0
        self.places: list[Place] = []
        self.field = QLineEdit()
        self.field.setAccessibleName("Filter")
        QVBoxLayout(self).addWidget(self.field)

    def activate(self) -> None:
        self.activations += 1

    def go(self, place: Place) -> None:
        self.places.append(place)

    def focus_filter(self) -> None:
        self.field.setFocus()


def stub_tabs() -> dict[Tab, type[StubTab]]:
    return dict.fromkeys(Tab, StubTab)


def window(
    tasks: Tasks, options: ShellOptions | None = None, backend: FakeBackend | None = None
) -> MainWindow:
    """A window over stub tabs and a fake backend, not yet shown."""
    return open_main_window(services(tasks, backend), stub_tabs(), options or ShellOptions(workspace="local"))


class Unpublished(FakeBackend):
    """A workspace in which nothing is published."""

    async def list_flows(self, where: Any, page: Any) -> Any:
        return (await super().list_flows(where, page)).model_copy(update={"items": (), "total": 0})


class Attached(FakeBackend):
    """A workspace whose engine another program runs."""

    async def info(self) -> Any:
        return (await super().info()).model_copy(update={"kind": "remote"})


class Broken(FakeBackend):
    """A workspace that can't be reached any more."""

    reachable = True

    async def list_flows(self, where: Any, page: Any) -> Any:
        if not self.reachable:
            raise Unreachable("Nobody there.")
        return await super().list_flows(where, page)


class Hanging(FakeBackend):
    """A workspace that stops responding."""

    hangs = False

    async def list_flows(self, where: Any, page: Any) -> Any:
        if self.hangs:
            await asyncio.Event().wait()
        return await super().list_flows(where, page)
