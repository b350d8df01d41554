"""The tabs of the test pane."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QTabBar, QWidget

from patchbay.desktop.ui.kit.delegates import paint_text
from patchbay.desktop.ui.kit.theme import theme


class PaneTabs(QTabBar):
    """Words with a 2 px line under the chosen one; measured in the strong font so that nothing shifts."""

    def __init__(self, names: tuple[str, ...], accessible_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        for name in names:
            self.addTab(name)
        self.setAccessibleName(accessible_name)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setElideMode(Qt.TextElideMode.ElideNone)
        theme().changed.connect(self.updateGeometry)

    def tabSizeHint(self, index: int) -> QSize:
        words = QFontMetricsF(theme().font("semibold")).horizontalAdvance(self.tabText(index))
        return QSize(round(words) + theme().px(22), theme().px(36))

    def minimumTabSizeHint(self, index: int) -> QSize:
        return self.tabSizeHint(index)

    def paintEvent(self, event: QPaintEvent) -> None:
        px, tokens = theme().px, theme().tokens
        painter = QPainter(self)
        for index in range(self.count()):
            area = QRectF(self.tabRect(index)).adjusted(0, 0, -px(20), 0)
            chosen = index == self.currentIndex()
            token = "text" if chosen else "text_secondary"
            paint_text(painter, area, self.tabText(index), "semibold" if chosen else "body", token)
            if chosen:
                colour = tokens.focus if self.hasFocus() else tokens.accent
                painter.fillRect(QRectF(area.x(), self.height() - 2, area.width(), 2), colour)
