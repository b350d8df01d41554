"""A field for searching, and the key cap that it shows."""

from typing import Any

from PySide6.QtCore import QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.ui.kit.buttons import IconButton
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.line_edit import LineEdit
from patchbay.desktop.ui.kit.theme import theme

DEBOUNCE_MS = 150


class SearchField(LineEdit):
    """A filter over a list. `text_changed` comes after a short pause in typing, and at once when cleared."""

    text_changed = Signal(str)

    def __init__(
        self, placeholder: str = "Search", parent: QWidget | None = None, *, key_cap: str = ""
    ) -> None:
        super().__init__("", placeholder, parent)
        self._key_cap = key_cap
        self.setAccessibleName(placeholder)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(DEBOUNCE_MS)
        self._pause.timeout.connect(self._announce)
        self.textChanged.connect(self._typed)
        self._clear = IconButton("x", "Clear", self, small=True)
        self._clear.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._clear.clicked.connect(self.clear)
        self._clear.hide()
        self._said = ""
        self._pad()
        theme().changed.connect(self._pad)

    def keyPressEvent(self, event: Any) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._announce()
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._pad()
        side = self._clear.width()
        self._clear.move(self.width() - side - theme().px(3), (self.height() - side) // 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        paint_icon(painter, QRectF(theme().px(8), 0, theme().px(20), self.height()), "search")
        if self._key_fits() and not self.text() and not self.hasFocus():
            paint_key_cap(painter, QPoint(self.width() - theme().px(8), self.height() // 2), self._key_cap)

    def _pad(self) -> None:
        right = theme().px(18) if self.text() or self._key_fits() else 0
        self.setTextMargins(theme().px(22), 0, right, 0)

    def _key_fits(self) -> bool:
        """In a narrow field the words that say what it is for go before the key."""
        words = QFontMetricsF(theme().font()).horizontalAdvance(self.placeholderText())
        return bool(self._key_cap) and self.width() >= words + theme().px(68)

    def _typed(self, text: str) -> None:
        self._clear.setVisible(bool(text))
        self._pad()
        if text:
            self._pause.start()
        else:
            self._announce()

    def _announce(self) -> None:
        self._pause.stop()
        if self.text() != self._said:
            self._said = self.text()
            self.text_changed.emit(self._said)


def paint_key_cap(painter: QPainter, right_middle: QPoint, words: str) -> int:
    """One key cap whose right edge is given; returns its width."""
    current = theme()
    font = current.font("caption")
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(font)
    width = max(current.px(14), painter.fontMetrics().horizontalAdvance(words) + current.px(9))
    height = current.px(18)
    rect = QRectF(right_middle.x() - width, right_middle.y() - height / 2, width, height)
    painter.setPen(QPen(current.tokens.border_button, 1))
    painter.setBrush(current.tokens.sidebar)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), current.px(4), current.px(4))
    painter.setPen(current.tokens.text_secondary)
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), words)
    painter.restore()
    return width
