"""Grounds, lines, cards and the veil: what pages are laid out on."""

from typing import Literal

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.buttons import paint_box
from patchbay.desktop.ui.kit.resize import ResizeWatch
from patchbay.desktop.ui.kit.theme import theme

__all__ = ["Card", "ResizeWatch", "Surface", "Veil", "line", "surface"]

Surface = Literal["window", "surface", "sidebar", "raised"]


def surface(widget: QWidget, name: Surface) -> QWidget:
    """Give a widget one of the grounds; it follows the theme."""
    widget.setProperty("surface", name)
    widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return widget


def line(*, vertical: bool = False) -> QFrame:
    """A hairline between two areas."""
    made = QFrame()
    made.setProperty("line", True)
    if vertical:
        made.setFixedWidth(1)
    else:
        made.setFixedHeight(1)
    return made


class Card(QWidget):
    """A rounded box with a hairline; `body` is its layout. `accent` gives it the 2 px accent outline."""

    def __init__(self, parent: QWidget | None = None, *, padding: int = 16, radius: int = 8) -> None:
        super().__init__(parent)
        self._radius = radius
        self.line_token = "border"
        self.fill_token = "surface"
        self.accent = False
        self.body = QVBoxLayout(self)
        pad = theme().px(padding)
        self.body.setContentsMargins(pad, pad, pad, pad)
        self.body.setSpacing(theme().px(8))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect())
        if self.accent:
            paint_box(painter, rect, theme().tokens.accent, None, self._radius)
            paint_box(
                painter, rect.adjusted(2, 2, -2, -2), theme().color(self.fill_token), None, self._radius - 2
            )
            return
        paint_box(painter, rect, theme().color(self.fill_token), theme().color(self.line_token), self._radius)


class Veil(QWidget):
    """Dims the window behind a dialog or the palette."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._watch = ResizeWatch(window, self, self.cover)
        self.setGeometry(window.rect())
        self.show()
        self.raise_()

    def cover(self) -> None:
        """Take the whole window; called again when its size changes."""
        self.setGeometry(self._window.rect())

    def paintEvent(self, event: QPaintEvent) -> None:
        shade = QColor(theme().tokens.window)
        shade.setAlphaF(0.55)
        QPainter(self).fillRect(self.rect(), shade)
