"""Key caps: shortcuts drawn as keys."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRectF, QSize
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from patchbay.desktop.ui.kit.accessibility import Spoken
from patchbay.desktop.ui.kit.inputs import paint_key_cap
from patchbay.desktop.ui.kit.theme import theme


def cap_width(words: str) -> float:
    current = theme()
    return max(
        current.px(14), QFontMetricsF(current.font("caption")).horizontalAdvance(words) + current.px(9)
    )


def keycaps_width(caps: Sequence[str]) -> float:
    return sum(cap_width(cap) for cap in caps) + theme().px(3) * max(0, len(caps) - 1)


def paint_keycaps(painter: QPainter, rect: QRectF, caps: Sequence[str]) -> None:
    """Caps side by side, at the right end of a rectangle."""
    right = round(rect.right())
    for cap in reversed(caps):
        right -= paint_key_cap(painter, QPoint(right, round(rect.center().y())), cap) + theme().px(3)


class KeyCaps(Spoken, QWidget):
    """A shortcut as a widget."""

    def __init__(self, caps: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._caps = list(caps)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("+".join(caps))

    def sizeHint(self) -> QSize:
        return QSize(round(keycaps_width(self._caps)) + 2, theme().px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_keycaps(QPainter(self), QRectF(self.rect()), self._caps)
