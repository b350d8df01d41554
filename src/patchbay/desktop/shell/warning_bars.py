"""Bars below the header that say what is wrong with the workspace, hidden while all is well."""

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.boxes import hbox
from patchbay.desktop.kit.buttons import Button, IconButton
from patchbay.desktop.kit.mark_painting import paint_mark
from patchbay.desktop.kit.text import ElidedLabel, plain_tip
from patchbay.desktop.kit.theme import theme


class WarningBar(QWidget):
    """A message on a yellow background with buttons after it."""

    def __init__(self, *buttons: Button | IconButton, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = ElidedLabel("", "caption", "text")
        hbox((self.words, 1), *buttons, parent=self, margins=(38, 4, 16, 4), spacing=12)
        self.hide()

    def show_message(self, words: str) -> None:
        """Show a message; an empty one hides the bar."""
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


class OfflineBar(WarningBar):
    """Says that the workspace can't be used fully. `retry` reconnects now."""

    retry = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self.try_now = Button(tr("Try now"), "link", small=True)
        super().__init__(self.try_now, parent=parent)
        self.try_now.clicked.connect(self.retry)

    def show_offline(self, words: str, *, can_retry: bool = True) -> None:
        """Show a message, with a button that reconnects if that can help; an empty one hides the bar."""
        self.try_now.setVisible(can_retry)
        self.show_message(words)


class VaultBar(WarningBar):
    """Says that connections wait for the passphrase vault."""

    unlock_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self.unlock = Button(tr("Unlock"), "link", small=True)
        super().__init__(self.unlock, parent=parent)
        self.unlock.clicked.connect(self.unlock_requested)


class PortBar(WarningBar):
    """Says that webhooks use another port than usual."""

    settings_requested = Signal()
    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self.settings = Button(tr("Server settings"), "link", small=True)
        self.dismiss = IconButton("x", tr("Dismiss"), small=True)
        super().__init__(self.settings, self.dismiss, parent=parent)
        self.settings.clicked.connect(self.settings_requested)
        self.dismiss.clicked.connect(self.dismissed)
