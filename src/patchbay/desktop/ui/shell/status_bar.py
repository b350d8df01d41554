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

    def print_message(
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
            ground = tokens.window
            paint_mark(
                painter, QRectF(x - 1, 0, current.px(14), self.height()), self._icon, colour, ground, 14
            )
            x += current.px(20)
        painter.setPen(colour)
        for text, role in self._parts:
            painter.setFont(current.font(role))
            room = self.width() - x - current.px(4)
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, round(room))
            painter.drawText(QRectF(x, 0, room + 4, self.height()), int(Qt.AlignmentFlag.AlignVCenter), shown)
            x += QFontMetricsF(painter.font()).horizontalAdvance(text)


class StatusBar(QWidget):
    """28 px: engine, next run, under way; failures today, secrets."""

    engine_clicked = Signal()
    next_clicked = Signal()
    under_way_clicked = Signal()
    failures_clicked = Signal()
    secrets_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        px = theme().px
        self.engine, self.next, self.under_way = StatusButton(), StatusButton(), StatusButton()
        self.failures, self.secrets = StatusButton(), StatusButton()
        self._rules = [_rule() for _ in range(3)]
        row = QHBoxLayout(self)
        row.setContentsMargins(px(4), 0, px(4), 0)
        row.setSpacing(px(2))
        for part in (self.engine, self._rules[0], self.next, self._rules[1], self.under_way):
            row.addWidget(part)
        row.addStretch(1)
        for part in (self.failures, self._rules[2], self.secrets):
            row.addWidget(part)
        for button, signal in (
            (self.engine, self.engine_clicked), (self.next, self.next_clicked),
            (self.under_way, self.under_way_clicked), (self.failures, self.failures_clicked),
            (self.secrets, self.secrets_clicked),
        ):  # fmt: skip
            button.clicked.connect(signal)
        self._scale()
        theme().changed.connect(self._scale)

    def show_status(self, model: WorkspaceViewModel) -> None:
        """Say what the view-model knows."""
        engine = model.engine()
        self.engine.print_message(
            (engine.text, "caption"), light=engine.light, token="text", tip=_engine_tip(model)
        )
        due = model.next_run()
        if due:
            flow = f", {due[1]}" if due[1] else ""
            self.next.print_message(
                ("Next run ", "caption"), (due[0], "caption_strong"), (flow, "caption"), tip="Show flows"
            )
        else:
            self.next.print_message(("No run is due" if model.knows_next_run else "", "caption"))
        self.under_way.print_message((model.under_way(), "caption"), tip="Show what is under way")
        self.failures.print_message(
            (model.failures_text(), "caption"), icon="circle-x", token="failure", tip="Show today's failures"
        )
        secrets = model.secrets()
        bad = secrets is not None and secrets.light == "bad"
        self.secrets.print_message(
            (secrets.text if secrets else "", "caption"),
            icon="triangle-alert" if bad else "lock",
            token="warning" if bad else "text_secondary",
            tip="How secrets are kept",
        )
        shown = (
            bool(self.next.words()),
            bool(self.under_way.words()),
            bool(self.failures.words()) and bool(self.secrets.words()),
        )
        for rule, visible in zip(self._rules, shown, strict=True):
            rule.setVisible(visible)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme().tokens.window)
        painter.fillRect(0, 0, self.width(), 1, theme().tokens.border)

    def _scale(self) -> None:
        self.setFixedHeight(theme().px(28))


def _engine_tip(model: WorkspaceViewModel) -> str:
    return model.error.text() if model.error else "How the engine does; pause and resume"


def _rule() -> QWidget:
    made = line(vertical=True)
    made.setFixedHeight(theme().px(12))
    return made
