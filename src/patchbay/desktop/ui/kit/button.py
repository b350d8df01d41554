"""A button with words, and the spinner it shows while busy."""

from typing import Literal

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QPushButton, QSizePolicy, QWidget

from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.marks import paint_spinner
from patchbay.desktop.ui.kit.theme import theme

Kind = Literal["default", "primary", "danger", "link", "flat"]


class Spinner:
    """Turns a quarter of a ring while its widget shows something busy. Still where motion is unwanted."""

    def __init__(self, widget: QWidget) -> None:
        self._widget = widget
        self._angle = 0
        self._timer = QTimer(widget)
        self._timer.setInterval(50)
        self._timer.timeout.connect(self._turn)

    def run(self, on: bool) -> None:
        if on and not theme().calm:
            self._timer.start()
        else:
            self._timer.stop()

    def _turn(self) -> None:
        self._angle = (self._angle - 20) % 360
        self._widget.update()

    def paint(self, painter: QPainter, rect: QRectF, colour: QColor | None = None) -> None:
        paint_spinner(painter, rect, colour or theme().tokens.accent_text, self._angle)


class Button(FocusRinged, QPushButton):
    """A button with words. Heights: 30, `small` 26 (rows and cards), `large` 34 (dialogs)."""

    def __init__(
        self,
        text: str,
        kind: Kind = "default",
        icon: str | None = None,
        small: bool = False,
        parent: QWidget | None = None,
        *,
        large: bool = False,
    ) -> None:
        super().__init__(text, parent)
        self.kind: Kind = kind
        self._icon_name = icon
        self._height = 26 if small else 34 if large else 30
        self._busy = False
        self._idle_text = text
        self._kept_width = 0
        self._spinner = Spinner(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        if kind == "link":
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme().changed.connect(self.updateGeometry)

    def set_icon(self, name: str | None) -> None:
        self._icon_name = name
        self.updateGeometry()
        self.update()

    def set_kind(self, kind: Kind) -> None:
        self.kind = kind
        self.update()

    @property
    def busy(self) -> bool:
        return self._busy

    def set_busy(self, busy: bool, text: str | None = None) -> None:
        """Show that the press is being worked on: spinner, another word, same width, no second press."""
        if busy and not self._busy:
            self._idle_text = self.text()
            self._kept_width = self.width() if self.isVisible() else self.sizeHint().width()
        self._busy = busy
        self.setText(text if busy and text else self._idle_text)
        self._spinner.run(busy)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, busy)
        self.updateGeometry()
        self.update()

    def hitButton(self, pos: QPoint) -> bool:
        return not self._busy and super().hitButton(pos)

    def nextCheckState(self) -> None:
        if not self._busy:
            super().nextCheckState()

    def sizeHint(self) -> QSize:
        current = theme()
        width = self._content_width() + 2 * self._padding()
        if self.menu() is not None:
            width += current.px(18)
        kept = self._kept_width if self._busy else 0
        return QSize(max(round(width + 0.49), kept), current.px(self._height))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill, line, words = button_colours(self, self.kind)
        paint_box(painter, QRectF(self.rect()), fill, line)
        self._paint_content(painter, words)

    def _paint_content(self, painter: QPainter, words: QColor) -> None:
        current = theme()
        area = QRectF(self.rect())
        if self.menu() is not None:
            area.setRight(area.right() - current.px(18))
            arrow = QRectF(area.right() - current.px(4), 0, current.px(14), self.height())
            paint_icon(painter, arrow, "chevron-down", words, 14)
        left = area.x() + (area.width() - self._content_width()) / 2
        if self._mark():
            side = current.px(self._icon_size())
            rect = QRectF(left, 0, side, self.height())
            if self._busy:
                self._spinner.paint(painter, rect, words if self.kind in ("primary", "danger") else None)
            else:
                paint_icon(painter, rect, self._icon_name or "", words, self._icon_size())
            left += side + current.px(6)
        painter.setFont(current.font("medium", tabular=False))
        painter.setPen(words)
        rect = QRectF(left, 0, area.width(), self.height())
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextShowMnemonic
        painter.drawText(rect, int(flags), self.text())

    def _mark(self) -> bool:
        return self._busy or self._icon_name is not None

    def _icon_size(self) -> int:
        return 14 if self.kind == "link" else 16

    def _padding(self) -> int:
        return theme().px({"link": 2, "flat": 9}.get(self.kind, 10 if self._height == 26 else 13))

    def _content_width(self) -> float:
        current = theme()
        metrics = QFontMetricsF(current.font("medium", tabular=False))
        words = metrics.size(Qt.TextFlag.TextShowMnemonic | Qt.TextFlag.TextSingleLine, self.text()).width()
        return words + (current.px(self._icon_size()) + current.px(6) if self._mark() else 0)


def button_colours(button: QAbstractButton, kind: Kind) -> tuple[QColor | None, QColor | None, QColor]:
    """Fill, outline and words of a button in its present state."""
    tokens = theme().tokens
    down = button.isDown() or button.isChecked()
    over = button.underMouse() and button.isEnabled()
    if not button.isEnabled():
        boxed = kind not in ("link", "flat")
        return (
            (tokens.window if boxed else None),
            (tokens.border_button if boxed else None),
            tokens.text_disabled,
        )
    if kind == "primary":
        return (
            (tokens.accent_pressed if down else tokens.accent_hover if over else tokens.accent),
            None,
            tokens.on_accent,
        )
    if kind == "danger":
        return (tokens.danger_hover if down or over else tokens.danger), None, tokens.on_danger
    if kind == "link":
        return None, None, tokens.accent_text
    fill = tokens.pressed if down else tokens.hover if over else None
    if kind == "flat":
        return fill, None, tokens.text_secondary
    return fill or tokens.surface, tokens.border_button, tokens.text


def paint_box(
    painter: QPainter, rect: QRectF, fill: QColor | None, line: QColor | None, radius: float = 6
) -> None:
    """A rounded box with a hairline on whole pixels."""
    if fill is None and line is None:
        return
    painter.setPen(QPen(line, 1) if line else Qt.PenStyle.NoPen)
    painter.setBrush(fill if fill else Qt.BrushStyle.NoBrush)
    inset = 0.5 if line else 0.0
    corner = theme().px(radius) - inset
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), corner, corner)
