"""The engine's popup: how it does, pausing and resuming all runs, the ways to its places."""

from PySide6.QtCore import QMargins, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from patchbay.desktop.state.engine_control import EngineControl
from patchbay.desktop.state.engine_words import MEANING, engine_facts
from patchbay.desktop.state.services import Services
from patchbay.desktop.state.workspace_view_model import Light, WorkspaceViewModel
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.popups import Popup
from patchbay.desktop.ui.kit.surface import line
from patchbay.desktop.ui.kit.text import Label, plain_tip
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.shell.status_light import paint_light

WIDTH, REFRESH_INTERVAL_MS = 348, 2_000


class _Light(QWidget):
    """The light of the status bar, beside the title."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.light: Light = "idle"
        self.setFixedSize(theme().px(10), theme().px(10))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_light(painter, QRectF(self.rect()), self.light)


class EnginePopup(Popup):
    """Follows the engine while it is open."""

    running_requested = Signal()
    settings_requested = Signal()

    def __init__(
        self, anchor: QWidget, model: WorkspaceViewModel, control: EngineControl, services: Services
    ) -> None:
        super().__init__(anchor)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._model, self._control, self._services = model, control, services
        self._light = _Light(self)
        self.title = Label("", "title", parent=self)
        self.meaning = Label("", "caption", "text_secondary", self, wrap=True)
        self.names: list[Label] = []
        self.values: list[Label] = []
        self.pause_button = Button("", icon="circle-pause", parent=self)
        self.under_way = Button("Show what is under way", "link", parent=self)
        self.settings = Button("Engine settings…", "link", parent=self)
        self._lay_out()
        self.pause_button.clicked.connect(self._toggle_pause)
        self.under_way.clicked.connect(self._open_running)
        self.settings.clicked.connect(self._open_settings)
        control.busy_changed.connect(self._show_busy)
        model.changed.connect(self._show)
        self._clock = QTimer(self, interval=REFRESH_INTERVAL_MS)
        self._clock.timeout.connect(model.refresh)
        self._clock.start()
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.pause_button.setFocus(Qt.FocusReason.PopupFocusReason)

    def facts(self) -> dict[str, str]:
        """What is listed, as it is shown."""
        return {name.text(): value.text() for name, value in zip(self.names, self.values, strict=True)}

    def _lay_out(self) -> None:
        px = theme().px
        head = QHBoxLayout()
        head.setSpacing(px(8))
        head.addWidget(self._light)
        head.addWidget(self.title, 1)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(px(12))
        self._grid.setVerticalSpacing(px(6))
        self._grid.setColumnStretch(1, 1)
        actions = QHBoxLayout()
        actions.setSpacing(px(12))
        actions.addWidget(self.pause_button)
        actions.addStretch(1)
        actions.addWidget(self.settings)
        more = px(8)
        self.body.setContentsMargins(self.body.contentsMargins() + QMargins(more, more, more, more))
        self.body.setSpacing(px(10))
        self.body.addLayout(head)
        self.body.addWidget(self.meaning)
        self.body.addWidget(line())
        self.body.addLayout(self._grid)
        self.body.addWidget(self.under_way, 0, Qt.AlignmentFlag.AlignLeft)
        self.body.addWidget(line())
        self.body.addLayout(actions)
        self.setFixedWidth(px(WIDTH))
        self.setAccessibleName("Engine")

    def _show(self) -> None:
        status, health = self._model.engine(), self._model.health
        self._light.light = status.light
        self._light.update()
        self.title.setText(status.text.partition(":")[0])
        self.meaning.setText(self._state_text())
        facts = engine_facts(health, self._services.clock()) if health else ()
        for number, (name, value) in enumerate(facts):
            if number == len(self.names):
                self._add_fact_row(number)
            self.names[number].setText(name)
            self.values[number].setText(value)
        paused = self._control.paused
        missing = self._control.resume_missing if paused else self._control.pause_missing
        if not self._control.busy:
            self.pause_button.setText("Resume all runs" if paused else "Pause all runs")
            self.pause_button.set_icon("circle-play" if paused else "circle-pause")
            self.pause_button.set_kind("primary" if paused else "default")
        self.pause_button.setEnabled(missing is None)
        self.pause_button.setToolTip(plain_tip(missing or ""))
        self.under_way.setVisible(bool(self._model.under_way()))
        if self.isVisible():
            self.fit()

    def _state_text(self) -> str:
        if self._model.error is not None:
            return self._model.error.text()
        health = self._model.health
        return (health.storage_problem or MEANING[health.state]) if health else ""

    def _add_fact_row(self, number: int) -> None:
        name = Label("", "caption", "text_secondary", self)
        value = Label("", "caption", "text", self, wrap=True)
        value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        self.names.append(name)
        self.values.append(value)
        self._grid.addWidget(name, number, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(value, number, 1)

    def _toggle_pause(self) -> None:
        self._control.resume() if self._control.paused else self._control.pause()

    def _show_busy(self, busy: bool) -> None:
        self.pause_button.set_busy(busy, "Resuming" if self._control.paused else "Pausing")
        if not busy:
            self._show()

    def _open_running(self) -> None:
        self.close()
        self.running_requested.emit()

    def _open_settings(self) -> None:
        self.close()
        self.settings_requested.emit()
