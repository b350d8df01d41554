"""A part of a page with wrapped texts that asks for the height they need at its width, and no more."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget


class Wrapping(QWidget):
    """A layout's own minimum takes wrapped texts at their narrowest, which would make a window taller."""

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        layout = self.layout()
        if layout is None or not layout.hasHeightForWidth() or self.width() < hint.width():
            return hint
        return QSize(hint.width(), layout.heightForWidth(self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
