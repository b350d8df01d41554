"""`StartPage`: the header and an empty page, which the window shows until its workspace is loaded."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.kit.boxes import vbox
from patchbay.desktop.kit.layout import surface
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.shell.header import Header


class StartPage(QWidget):
    """The header over an empty page and status bar. The work area takes the header over."""

    painted = Signal()
    """Emitted after the first paint."""

    def __init__(self, workspace: str, servers: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._painted = False
        self.header = Header()
        self.header.switcher.show_workspace(workspace, servers)
        vbox(self.header, (surface(QWidget(), "surface"), 1), EmptyStatusBar(), parent=self, spacing=0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            QTimer.singleShot(0, self, self.painted.emit)


class EmptyStatusBar(QWidget):
    """A status bar without content, 28 px."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(theme().px(28))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme().tokens.window)
        painter.fillRect(0, 0, self.width(), 1, theme().tokens.border)
