"""The window on a recorded service of the interface, and a record of all it complained about."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QFileDialog,
    QLabel,
    QMenu,
    QWidget,
)
from pytestqt.qtbot import QtBot
from tests.support.recorded_service import KEY, RecordedService
from tests.support.recorded_state import Row
from tests.support.tiny_service import Elsewhere
from tests.support.window import Window, open_window

from patchbay.bootstrap import window_controller
from patchbay.desktop.core.notices import Notice
from patchbay.service.key_stores import MemoryKeyStore

REST_MS = 60


@dataclass
class ForeignWindow:
    """A window and the service it shows."""

    qtbot: QtBot
    window: Window
    service: RecordedService
    notices: list[Notice] = field(default_factory=list)
    """All that the window said at its bottom."""

    def listen(self) -> None:
        """Note what the open workspace says from now on."""
        self.window.wait(lambda: self.window.services).notices.posted.connect(self.notices.append)

    @property
    def errors(self) -> list[str]:
        return [notice.text for notice in self.notices if notice.severity == "error"]

    @property
    def ways_back(self) -> list[str]:
        """What was said to be done with a way to undo it."""
        return [notice.text for notice in self.notices if notice.undo]

    def rest(self) -> None:
        """Long enough for answers of a service on this computer."""
        self.qtbot.wait(REST_MS)

    def texts(self) -> str:
        """Every word on the screen that is in a label."""
        labels = self.window.desk.window.findChildren(QLabel)
        return "\n".join(label.text() for label in labels if label.isVisible())

    def close_all(self) -> None:
        """Dialogs, menus and popups that a click opened."""
        for widget in QApplication.topLevelWidgets():
            if widget is not self.window.desk.window and widget.isVisible():
                widget.close()

    def click(self, button: QAbstractButton) -> None:
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


@contextmanager
def service_elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordedService]:
    """A recorded service; windows keep their keys in memory and open neither browsers nor file choosers."""
    monkeypatch.setattr(window_controller, "SystemKeyring", MemoryKeyStore)
    monkeypatch.setattr(QFileDialog, "open", lambda self, *_: None)
    monkeypatch.setattr("PySide6.QtGui.QDesktopServices.openUrl", lambda url: True)
    playing = RecordedService()
    with Elsewhere() as loop:
        loop.start(playing)
        yield playing


@contextmanager
def foreign_window(
    qtbot: QtBot, data: Path, service: RecordedService, *, opened: bool = True
) -> Iterator[ForeignWindow]:
    """The window on the service, or with `opened` False on the welcome page."""
    address = service.address if opened else None
    with open_window(qtbot, data, address, api_key=KEY if opened else None) as window:
        foreign = ForeignWindow(qtbot, window, service)
        if opened:
            foreign.listen()
        yield foreign


def select_first(view: QWidget) -> None:
    """The first row of every list that is seen."""
    for rows in view.findChildren(QAbstractItemView):
        model = rows.model()
        if rows.isVisible() and model is not None and model.rowCount():
            rows.setCurrentIndex(model.index(0, 0))


def clickable(view: QWidget) -> list[QAbstractButton]:
    return [
        button
        for button in view.findChildren(QAbstractButton)
        if button.isVisible() and button.isEnabled() and button.width() > 0
    ]


def name_of(button: QAbstractButton) -> str:
    return button.accessibleName() or button.text()


def offered(menu: QMenu) -> list[QAction]:
    """What can be chosen in a menu."""
    return [action for action in menu.actions() if action.isEnabled() and not action.isSeparator()]


def more_executions(service: RecordedService, number: int) -> list[Row]:
    """Give the service a longer history; newest first."""
    state = service.state
    flows = [flow for flow in state.flows if flow["active"]]
    for at in range(number):
        created = 1_731_100_000_000 + at * 60_000
        state.executions.append(
            {
                "id": f"e2{at:06d}-0b1c-4d2e-8f30-00000000000a",
                "testRun": at % 5 == 0,
                "status": "failure" if at % 7 == 0 else "success",
                "flowId": flows[at % len(flows)]["id"],
                "createdAt": created,
                "updatedAt": created + 900,
            }
        )
    return sorted(state.executions, key=lambda row: -row["createdAt"])
