"""The icon in the system tray while the program runs in the background, and its menu."""

import sys
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QSystemTrayIcon

from patchbay.desktop.core.language import time_text, tr
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.kit.icons import icon
from patchbay.desktop.kit.menu import Menu, MenuEntry
from patchbay.desktop.kit.text import literal, plain_tip
from patchbay.desktop.shell.view_models.recent_failures import SHOWN, RecentFailures
from patchbay.desktop.shell.view_models.workspace_status import Light, next_run_text
from patchbay.desktop.shell.work_area import WorkArea
from patchbay.domain.clock import local_datetime
from patchbay.domain.executions import Execution

if TYPE_CHECKING:
    from patchbay.desktop.shell.main_window import MainWindow

_ICONS: dict[Light, tuple[str, str]] = {
    "good": ("workflow", "accent"),
    "idle": ("circle-pause", "warning"),
    "bad": ("triangle-alert", "failure"),
    "wait": ("workflow", "text_tertiary"),
}
_OPENING_CLICKS = (
    QSystemTrayIcon.ActivationReason.Trigger,
    QSystemTrayIcon.ActivationReason.DoubleClick,
    QSystemTrayIcon.ActivationReason.MiddleClick,
)


class Tray(QObject):
    """The icon and its menu: engine, next run, last failures, pause or resume, open, quit.

    Entries are changed in place, because desktops copy the menu and may be showing it.
    """

    def __init__(self, window: "MainWindow", area: WorkArea) -> None:
        super().__init__(area)
        self._window, self._area = window, area
        self._model, self._engine = area.model, area.engine
        self._failures = RecentFailures(area.services, self)
        self.menu = Menu(window, "Patchbay")
        self.state = self.menu.add("", window.bring_to_front)
        self.state.setEnabled(False)
        self.next_run = self._add_opening("", Place(Tab.FLOWS, section="list"))
        self._failures_line = self.menu.addSeparator()
        self.failures = self._add_opening("", None)
        self.failed = tuple(self._add_failure(number) for number in range(SHOWN))
        self.menu.addSeparator()
        self.open = self.menu.add(tr("Open Patchbay"), window.bring_to_front)
        self.pause = self.menu.add(tr("Pause all runs"), self._engine.pause)
        self.resume = self.menu.add(tr("Resume all runs"), self._engine.resume)
        self.menu.addSeparator()
        self.quit = self.menu.add(tr("Quit"), window.quit)
        self.icon = QSystemTrayIcon(self)
        self.icon.setContextMenu(self.menu)
        self.icon.activated.connect(self._on_activated)
        self._light: Light | None = None
        self._model.changed.connect(self._show)
        self._failures.changed.connect(self._show)
        self._show()
        self.icon.show()
        self._failures.load()

    def close(self) -> None:
        """Remove the icon and the menu."""
        self.icon.hide()
        self.menu.deleteLater()
        self.deleteLater()

    def _add_opening(self, text: str, place: Place | None) -> MenuEntry:
        return self.menu.add(text, lambda: self._open(place or self._model.failures_target()))

    def _add_failure(self, number: int) -> MenuEntry:
        return self.menu.add("", partial(self._open_failure, number))

    def _open(self, place: Place) -> None:
        self._window.bring_to_front()
        self._area.go(place)

    def _open_failure(self, number: int) -> None:
        if number < len(self._failures.executions):
            self._open(Place(Tab.EXECUTIONS, id=self._failures.executions[number].id))

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if sys.platform != "darwin" and reason in _OPENING_CLICKS:  # on macOS, a click opens the menu
            self._window.bring_to_front()

    def _show(self) -> None:
        state, next_run = self._model.engine(), self._model.next_run()
        next_text = next_run_text(*next_run) if next_run else ""
        failures_text = self._model.failures_text()
        self.state.setText(literal(state.text))
        self.next_run.setText(literal(next_text or tr("No run is scheduled")))
        self.next_run.setEnabled(bool(next_text))
        self.failures.setText(literal(failures_text))
        self.failures.setVisible(bool(failures_text))
        self._failures_line.setVisible(bool(failures_text))
        for number, entry in enumerate(self.failed):
            known = number < len(self._failures.executions)
            entry.setVisible(known and bool(failures_text))
            entry.setText(literal(_failure_text(self._failures.executions[number]) if known else ""))
        self.pause.setVisible(not self._engine.paused)
        self.pause.setEnabled(self._engine.pause_unavailable_reason is None)
        self.resume.setVisible(self._engine.paused)
        self.resume.setEnabled(self._engine.resume_unavailable_reason is None)
        texts = ("Patchbay", state.text, next_text, failures_text)
        self.icon.setToolTip(plain_tip("\n".join(filter(None, texts))))
        if state.light != self._light:
            self._light = state.light
            self.icon.setIcon(icon(*_ICONS[state.light], 32))


def _failure_text(execution: Execution) -> str:
    at = local_datetime(execution.finished_at or execution.created_at)
    return f"{time_text(at)} {execution.flow.name}"
