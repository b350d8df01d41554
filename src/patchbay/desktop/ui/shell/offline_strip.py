"""Under the header while the service does not answer: since when, what that means, and trying again."""

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.marks import paint_mark
from patchbay.desktop.ui.kit.text import ElidedLabel, plain_tip
from patchbay.desktop.ui.kit.theme import theme


class OfflineStrip(QWidget):
    """Hidden while all is well. `retry` asks for a look at the service now, `takeover` to run its flows."""

    retry = Signal()
    takeover_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        px = theme().px
        self.words = ElidedLabel("", "caption", "text")
        self.try_now = Button("Try now", "link", small=True)
        self.try_now.clicked.connect(self.retry)
        self.run_here = Button("Run flows in this window", "link", small=True)
        self.run_here.clicked.connect(self.takeover_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(px(38), px(4), px(16), px(4))
        row.setSpacing(px(12))
        row.addWidget(self.words, 1)
        row.addWidget(self.try_now)
        row.addWidget(self.run_here)
        self.hide()

    def show_message(self, words: str, *, can_take_over: bool = False) -> None:
        """Say this, or nothing any more."""
        self.try_now.setVisible(not can_take_over)
        self.run_here.setVisible(can_take_over)
        self.words.setText(words)
        self.words.setToolTip(plain_tip(words))
        self.setAccessibleName(words)
        self.setVisible(bool(words))

    def paintEvent(self, event: QPaintEvent) -> None:
        px, tokens = theme().px, theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), tokens.warning_soft)
        painter.fillRect(0, self.height() - 1, self.width(), 1, tokens.warning_border)
        mark = QRectF(px(16), (self.height() - px(14)) / 2, px(14), px(14))
        paint_mark(painter, mark, "triangle-alert", tokens.warning, tokens.warning_soft, 14)
