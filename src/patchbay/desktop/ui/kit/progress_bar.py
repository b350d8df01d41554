"""A thin row under the toolbar: what is under way, how far it is, and a way to stop it."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from patchbay.desktop.ui.kit.accessibility import Spoken
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.surface import surface
from patchbay.desktop.ui.kit.text import ElidedLabel
from patchbay.desktop.ui.kit.theme import theme


class ProgressBar(Spoken, QWidget):
    """Hidden until `tell`. `row` is its layout, for more buttons before Cancel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "sidebar")
        self._share: float | None = None
        self.words = ElidedLabel("", "caption", "text_secondary")
        self.cancel = Button("Cancel", "link", small=True)
        self.row = QHBoxLayout(self)
        px = theme().px
        self.row.setContentsMargins(px(16), px(3), px(16), px(5))
        self.row.setSpacing(px(12))
        self.row.addWidget(self.words, 1)
        self.row.addWidget(self.cancel)
        self.hide()

    def tell(self, words: str, share: float | None) -> None:
        """Say how far it is; `share` None leaves the line out."""
        self._share = share
        self.words.setText(words)
        self.setAccessibleName(words)
        self.show()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._share is None:
            return
        painter, tokens = QPainter(self), theme().tokens
        bottom = QRectF(0, self.height() - 2, self.width(), 2)
        painter.fillRect(bottom, tokens.border)
        painter.fillRect(QRectF(0, bottom.y(), self.width() * self._share, 2), tokens.accent)
