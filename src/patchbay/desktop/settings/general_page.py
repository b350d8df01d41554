"""Settings → General: what closing the window does, and starting at login."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSystemTrayIcon, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.boxes import vbox
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.layout import line
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.shortcuts import QUIT_KEYS, native_text
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.toggles import Switch
from patchbay.desktop.settings.reset_bar import ResetBar
from patchbay.desktop.settings.view_models.start_at_login import StartAtLogin
from patchbay.desktop.settings.window_options import OnClose

if TYPE_CHECKING:
    from patchbay.desktop.settings.dialog import SettingsDialog

DEFAULT_ON_CLOSE: OnClose = "ask"
ON_CLOSE_OPTIONS: tuple[tuple[OnClose, str], ...] = (
    ("ask", tr("Ask once")),
    ("background", tr("Keep flows running in the background")),
    ("quit", tr("Quit", "end the program")),
)
_ON_CLOSE = tr("When the window is closed")
_IN_TRAY = tr("In the background, Patchbay shows an icon in the system tray. Click it to open the window.")
_WITHOUT_TRAY = tr(
    "This desktop has no system tray. To get the window back from the background, start Patchbay again."
)
_START = tr("Start at login")
_START_HELP = tr(
    "Starts Patchbay in the background, without a window, when you sign in to this computer, so that its "
    "published flows run."
)


class GeneralPage(QWidget):
    """What the program does on this desktop. `on_close_changed` carries what closing the window does."""

    on_close_changed = Signal(str)

    def __init__(
        self, on_close: OnClose, start_at_login: StartAtLogin | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._start_at_login = start_at_login
        self.on_close = ComboBox(_ON_CLOSE, large=True)
        self.on_close.set_options(ON_CLOSE_OPTIONS)
        self.on_close.set_value(on_close)
        self.on_close.value_changed.connect(self._on_close_chosen)
        self.start = Switch(_START, _START)
        self.start.toggled.connect(self._on_start_toggled)
        self.problem = MessageBox("failure")
        self.problem.hide()
        self.reset = ResetBar(self._reset)
        tray = _IN_TRAY if QSystemTrayIcon.isSystemTrayAvailable() else _WITHOUT_TRAY
        on_close_help = tr(
            "Applies while this window runs published flows on this computer. Otherwise, closing the "
            "window quits Patchbay. {keys} always quits.",
            keys=native_text(QUIT_KEYS),
        )
        column = vbox(parent=self, spacing=14)
        column.addWidget(FormField(_ON_CLOSE, self.on_close, help=on_close_help))
        column.addWidget(Label(tray, "caption", "text_tertiary", wrap=True))
        column.addWidget(line())
        column.addWidget(self.start, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(Label(_START_HELP, "caption", "text_tertiary", wrap=True))
        column.addWidget(self.problem)
        column.addStretch(1)
        column.addWidget(self.reset)
        self.start.setAccessibleDescription(_START_HELP)
        if start_at_login is not None:
            start_at_login.changed.connect(self._show_start)
            start_at_login.load()
        self._show_start()

    def _on_close_chosen(self, chosen: OnClose) -> None:
        self.on_close_changed.emit(chosen)
        self._show_reset()

    def _on_start_toggled(self, enabled: bool) -> None:
        if self._start_at_login is not None:
            self._start_at_login.set_enabled(enabled)

    def _show_start(self) -> None:
        model = self._start_at_login
        self.start.setEnabled(model is not None and model.enabled is not None)
        self.start.blockSignals(True)
        self.start.setChecked(model is not None and bool(model.enabled))
        self.start.blockSignals(False)
        self.start.update()
        error = model.error if model is not None else None
        if error is not None:
            self.problem.show_error(error, [], takes_focus=False)
        self.problem.setVisible(error is not None)
        self._show_reset()

    def _show_reset(self) -> None:
        model = self._start_at_login
        changed = self.on_close.value() != DEFAULT_ON_CLOSE or (model is not None and bool(model.enabled))
        self.reset.show_changed(changed)

    def _reset(self) -> Callable[[], None]:
        on_close, model = self.on_close.value(), self._start_at_login
        starts = model is not None and bool(model.enabled)
        self._set(DEFAULT_ON_CLOSE, starts=False)
        return lambda: self._set(on_close, starts=starts)

    def _set(self, on_close: OnClose, *, starts: bool) -> None:
        self.on_close.set_value(on_close)
        model = self._start_at_login
        if model is not None and bool(model.enabled) is not starts:
            model.set_enabled(starts)


def build_general_page(dialog: "SettingsDialog") -> GeneralPage:
    """The page for the settings dialog."""
    page = GeneralPage(dialog.options.on_close, dialog.options.start_at_login)
    page.on_close_changed.connect(dialog.on_close_changed)
    return page
