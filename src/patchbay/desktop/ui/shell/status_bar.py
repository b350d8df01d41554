"""The status bar: what always has to be visible, each part a way to its place."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from patchbay.desktop.state.workspace_view_model import Light, WorkspaceViewModel
from patchbay.desktop.ui.kit.buttons import paint_box
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.marks import paint_mark
from patchbay.desktop.ui.kit.surface import line
from patchbay.desktop.ui.kit.text import plain_tip
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.shell.status_light import paint_light


class StatusButton(FocusRinged, QPushButton):
    """A part of the bar: words, some of them bold, with a light or an icon before them."""

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
        """Parts are (text, font role); an empty text hides the button."""
        self._parts, self._light, self._icon, self._token = parts, light, icon, token
        words = "".join(text for text, _ in parts)
        self.setAccessibleName(words)
        self.setToolTip(plain_tip(tip))
        self.setVisible(bool(words))
        self.updateGeometry()
        self.update()

    def words(self) -> str:
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
    """28 px: engine, next run, under way; failures today, secrets."""

    engine_clicked = Signal()
    next_run_clicked = Signal()
    running_clicked = Signal()
    failures_clicked = Signal()
    secrets_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        px = theme().px
        self.engine, self.next, self.under_way = StatusButton(), StatusButton(), StatusButton()
        self.failures, self.secrets = StatusButton(), StatusButton()
        self._dividers = [_divider() for _ in range(3)]
        row = QHBoxLayout(self)
        row.setContentsMargins(px(4), 0, px(4), 0)
        row.setSpacing(px(2))
        for part in (self.engine, self._dividers[0], self.next, self._dividers[1], self.under_way):
            row.addWidget(part)
        row.addStretch(1)
        for part in (self.failures, self._dividers[2], self.secrets):
            row.addWidget(part)
        for button, signal in (
            (self.engine, self.engine_clicked), (self.next, self.next_run_clicked),
            (self.under_way, self.running_clicked), (self.failures, self.failures_clicked),
            (self.secrets, self.secrets_clicked),
        ):  # fmt: skip
            button.clicked.connect(signal)
        self._update_height()
        theme().changed.connect(self._update_height)

    def show_status(self, model: WorkspaceViewModel) -> None:
        """Say what the view-model knows."""
        engine = model.engine()
        self.engine.set_parts(
            (engine.text, "caption"), light=engine.light, token="text", tip=_engine_tip(model)
        )
        next_run = model.next_run()
        if next_run:
            flow = f", {next_run[1]}" if next_run[1] else ""
            self.next.set_parts(
                ("Next run ", "caption"), (next_run[0], "caption_strong"), (flow, "caption"), tip="Show flows"
            )
        else:
            self.next.set_parts(("No run is due" if model.knows_next_run else "", "caption"))
        self.under_way.set_parts((model.under_way(), "caption"), tip="Show what is under way")
        self.failures.set_parts(
            (model.failures_text(), "caption"), icon="circle-x", token="failure", tip="Show today's failures"
        )
        secrets = model.secrets()
        has_problem = secrets is not None and secrets.light == "bad"
        self.secrets.set_parts(
            (secrets.text if secrets else "", "caption"),
            icon="triangle-alert" if has_problem else "lock",
            token="warning" if has_problem else "text_secondary",
            tip="How secrets are kept",
        )
        shown = (
            bool(self.next.words()),
            bool(self.under_way.words()),
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


def _engine_tip(model: WorkspaceViewModel) -> str:
    return model.error.text() if model.error else "How the engine does; pause and resume"


def _divider() -> QWidget:
    divider = line(vertical=True)
    divider.setFixedHeight(theme().px(12))
    return divider
