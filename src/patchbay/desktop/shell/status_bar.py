"""The status bar, and the engine's popup with its status, pause, and resume."""

from PySide6.QtCore import QMargins, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QGridLayout, QPushButton, QSizePolicy, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.services import Services
from patchbay.desktop.kit.boxes import Stretch, hbox
from patchbay.desktop.kit.buttons import Button, paint_box
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.layout import line
from patchbay.desktop.kit.mark_painting import paint_mark
from patchbay.desktop.kit.popups import Popup
from patchbay.desktop.kit.text import Label, plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.shell.view_models.engine_control import (
    STATE_EXPLANATIONS,
    EngineControl,
    engine_status_rows,
)
from patchbay.desktop.shell.view_models.workspace_status import Light, WorkspaceViewModel, next_run_text

_LIGHTS: dict[Light, str] = {
    "good": "success_graphic",
    "idle": "neutral_graphic",
    "bad": "failure_graphic",
    "wait": "warning_graphic",
}
WIDTH, REFRESH_INTERVAL_MS = 348, 2_000


def paint_light(painter: QPainter, rect: QRectF, light: Light) -> None:
    """Paint a dot that fills the rectangle; a ring if nothing is running."""
    colour, hollow = theme().color(_LIGHTS[light]), light == "idle"
    painter.setPen(QPen(colour, 1.5) if hollow else Qt.PenStyle.NoPen)
    painter.setBrush(Qt.BrushStyle.NoBrush if hollow else colour)
    painter.drawEllipse(rect.adjusted(1, 1, -1, -1) if hollow else rect)


class StatusButton(FocusRinged, QPushButton):
    """A part of the bar: a text, partly bold, after a dot or an icon."""

    ring_radius = 4

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: tuple[tuple[str, str], ...] = ()
        self._light: Light | None = None
        self._icon, self._token = "", "text_secondary"
        self.setFlat(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.updateGeometry)
        self.hide()

    def set_parts(
        self,
        *parts: tuple[str, str],
        light: Light | None = None,
        icon: str = "",
        token: str = "text_secondary",
        tip: str = "",
    ) -> None:
        """Set the text. Parts are (text, font role); an empty text hides the button."""
        self._parts = parts
        self._light = light
        self._icon = icon
        self._token = token
        words = "".join(text for text, _ in parts)
        self.setAccessibleName(words)
        self.setToolTip(plain_tip(tip))
        self.setVisible(bool(words))
        self.updateGeometry()
        self.update()

    def words(self) -> str:
        """The text of the button."""
        return "".join(text for text, _ in self._parts)

    def sizeHint(self) -> QSize:
        current = theme()
        width = sum(QFontMetricsF(current.font(role)).horizontalAdvance(text) for text, role in self._parts)
        mark = current.px(20) if self._icon else current.px(14) if self._light else 0
        return QSize(round(width + mark + current.px(16) + 0.5), current.px(24))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(40), theme().px(24))

    def paintEvent(self, event: QPaintEvent) -> None:
        current, tokens = theme(), theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse():
            paint_box(painter, QRectF(self.rect()), tokens.pressed, None, radius=4)
        x = float(current.px(8))
        colour = current.color(self._token)
        if self._light:
            side = current.px(8)
            paint_light(painter, QRectF(x, (self.height() - side) / 2, side, side), self._light)
            x += current.px(14)
        if self._icon:
            background = tokens.window
            paint_mark(
                painter, QRectF(x - 1, 0, current.px(14), self.height()), self._icon, colour, background, 14
            )
            x += current.px(20)
        painter.setPen(colour)
        for text, role in self._parts:
            painter.setFont(current.font(role))
            available_width = self.width() - x - current.px(4)
            shown = painter.fontMetrics().elidedText(
                text, Qt.TextElideMode.ElideRight, round(available_width)
            )
            painter.drawText(
                QRectF(x, 0, available_width + 4, self.height()), int(Qt.AlignmentFlag.AlignVCenter), shown
            )
            x += QFontMetricsF(painter.font()).horizontalAdvance(text)


class StatusBar(QWidget):
    """The status bar, 28 px: engine, next run, active runs; failures today, secrets."""

    engine_clicked = Signal()
    next_run_clicked = Signal()
    running_clicked = Signal()
    failures_clicked = Signal()
    secrets_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.engine = StatusButton()
        self.next = StatusButton()
        self.active_runs_text = StatusButton()
        self.failures, self.secrets = StatusButton(), StatusButton()
        self._dividers = [_divider() for _ in range(3)]
        hbox(
            self.engine,
            self._dividers[0],
            self.next,
            self._dividers[1],
            self.active_runs_text,
            Stretch(),
            self.failures,
            self._dividers[2],
            self.secrets,
            parent=self,
            margins=(4, 0, 4, 0),
            spacing=2,
        )
        for button, signal in (
            (self.engine, self.engine_clicked),
            (self.next, self.next_run_clicked),
            (self.active_runs_text, self.running_clicked),
            (self.failures, self.failures_clicked),
            (self.secrets, self.secrets_clicked),
        ):
            button.clicked.connect(signal)
        self._update_height()
        theme().changed.connect(self._update_height)

    def show_status(self, model: WorkspaceViewModel) -> None:
        """Show the state of the view-model."""
        engine = model.engine()
        self.engine.set_parts(
            (engine.text, "caption"),
            light=engine.light,
            token="text",
            tip=model.error.text() if model.error else tr("Engine status; pause or resume"),
        )
        next_run = model.next_run()
        if next_run:
            self.next.set_parts(*_next_run_parts(*next_run), tip=tr("Show flows"))
        else:
            self.next.set_parts((tr("No run scheduled") if model.knows_next_run else "", "caption"))
        self.active_runs_text.set_parts(
            (model.active_runs_text(), "caption"), tip=tr("Show unfinished executions")
        )
        self.failures.set_parts(
            (model.failures_text(), "caption"), icon="circle-x", token="failure", tip=model.failures_tip()
        )
        secrets = model.secrets()
        has_problem = secrets is not None and secrets.light == "bad"
        self.secrets.set_parts(
            (secrets.text if secrets else "", "caption"),
            icon="triangle-alert" if has_problem else "lock",
            token="warning" if has_problem else "text_secondary",
            tip=tr("Where credentials are stored"),
        )
        shown = (
            bool(self.next.words()),
            bool(self.active_runs_text.words()),
            bool(self.failures.words()) and bool(self.secrets.words()),
        )
        for divider, visible in zip(self._dividers, shown, strict=True):
            divider.setVisible(visible)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme().tokens.window)
        painter.fillRect(0, 0, self.width(), 1, theme().tokens.border)

    def _update_height(self) -> None:
        self.setFixedHeight(theme().px(28))


def _next_run_parts(time: str, flow: str) -> tuple[tuple[str, str], ...]:
    """The sentence, with the time in bold."""
    before, _, after = next_run_text("\n", flow).partition("\n")
    return (before, "caption"), (time, "caption_strong"), (after, "caption")


def _divider() -> QWidget:
    divider = line(vertical=True)
    divider.setFixedHeight(theme().px(12))
    return divider


class _Light(QWidget):
    """The dot of the status bar, beside the title."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.light: Light = "idle"
        self.setFixedSize(theme().px(10), theme().px(10))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_light(painter, QRectF(self.rect()), self.light)


class EnginePopup(Popup):
    """The popup of the engine, updated while it is open."""

    running_requested = Signal()
    settings_requested = Signal()

    def __init__(
        self, anchor: QWidget, model: WorkspaceViewModel, control: EngineControl, services: Services
    ) -> None:
        super().__init__(anchor)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._model = model
        self._control = control
        self._services = services
        self._light = _Light(self)
        self.title = Label("", "title", parent=self)
        self.meaning = Label("", "caption", "text_secondary", self, wrap=True)
        self.names: list[Label] = []
        self.values: list[Label] = []
        self.pause_button = Button("", icon="circle-pause", parent=self)
        self.active_runs_text = Button(tr("Show unfinished executions"), "link", parent=self)
        self.settings = Button(tr("Engine settings…"), "link", parent=self)
        self._lay_out()
        self.pause_button.clicked.connect(self._toggle_pause)
        self.active_runs_text.clicked.connect(self._open_running)
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
        """The rows as they are shown."""
        return {name.text(): value.text() for name, value in zip(self.names, self.values, strict=True)}

    def _lay_out(self) -> None:
        px = theme().px
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(px(12))
        self._grid.setVerticalSpacing(px(6))
        self._grid.setColumnStretch(1, 1)
        more = px(8)
        self.body.setContentsMargins(self.body.contentsMargins() + QMargins(more, more, more, more))
        self.body.setSpacing(px(10))
        self.body.addLayout(hbox(self._light, (self.title, 1), spacing=8))
        self.body.addWidget(self.meaning)
        self.body.addWidget(line())
        self.body.addLayout(self._grid)
        self.body.addWidget(self.active_runs_text, 0, Qt.AlignmentFlag.AlignLeft)
        self.body.addWidget(line())
        self._footer = hbox(self.pause_button, Stretch(), self.settings, spacing=12)
        self.body.addLayout(self._footer)
        self.setAccessibleName(tr("Engine"))

    def _show(self) -> None:
        status, health = self._model.engine(), self._model.health
        self._light.light = status.light
        self._light.update()
        self.title.setText(status.title or status.text)
        self.meaning.setText(self._state_text())
        facts = engine_status_rows(health, self._services.clock()) if health else ()
        for number, (name, value) in enumerate(facts):
            if number == len(self.names):
                self._add_fact_row(number)
            self.names[number].setText(name)
            self.values[number].setText(value)
        paused = self._control.paused
        unavailable_reason = (
            self._control.resume_unavailable_reason if paused else self._control.pause_unavailable_reason
        )
        if not self._control.busy:
            self.pause_button.setText(tr("Resume all runs") if paused else tr("Pause all runs"))
            self.pause_button.set_icon("circle-play" if paused else "circle-pause")
            self.pause_button.set_kind("primary" if paused else "default")
        self.pause_button.setEnabled(unavailable_reason is None)
        self.pause_button.setToolTip(plain_tip(unavailable_reason or ""))
        self.active_runs_text.setVisible(bool(self._model.active_runs_text()))
        margins = self.body.contentsMargins()
        buttons_width = self._footer.sizeHint().width() + margins.left() + margins.right()
        self.setFixedWidth(max(theme().px(WIDTH), buttons_width))
        if self.isVisible():
            self.fit()

    def _state_text(self) -> str:
        if self._model.error is not None:
            return self._model.error.text()
        health = self._model.health
        return (health.storage_problem or STATE_EXPLANATIONS[health.state]) if health else ""

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
        self.pause_button.set_busy(busy, tr("Resuming") if self._control.paused else tr("Pausing"))
        if not busy:
            self._show()

    def _open_running(self) -> None:
        self.close()
        self.running_requested.emit()

    def _open_settings(self) -> None:
        self.close()
        self.settings_requested.emit()
