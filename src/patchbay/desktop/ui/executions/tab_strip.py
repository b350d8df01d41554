"""Small tabs over a pane: words, a 2 px line, and a mark where one needs attention."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QTabBar, QWidget

from patchbay.desktop.ui.kit.delegates import paint_text
from patchbay.desktop.ui.kit.marks import paint_mark
from patchbay.desktop.ui.kit.theme import theme


class TabStrip(QTabBar):
    """Tabs measured with the strong font, so that choosing one never moves its neighbours."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._failed: set[int] = set()
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setElideMode(Qt.TextElideMode.ElideNone)

    def set_failed(self, index: int, failed: bool) -> None:
        """Mark a tab as the place of an error."""
        (self._failed.add if failed else self._failed.discard)(index)
        self.updateGeometry()
        self.update()

    def tabSizeHint(self, index: int) -> QSize:
        words = QFontMetricsF(theme().font("semibold")).horizontalAdvance(self.tabText(index))
        mark = theme().px(19) if index in self._failed else 0
        return QSize(round(words) + mark + theme().px(20), theme().px(32))

    def minimumTabSizeHint(self, index: int) -> QSize:
        return self.tabSizeHint(index)

    def paintEvent(self, event: QPaintEvent) -> None:
        current, px = theme(), theme().px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index in range(self.count()):
            if not self.isTabVisible(index):
                continue
            chosen = index == self.currentIndex()
            area = QRectF(self.tabRect(index)).adjusted(0, 0, -px(20), 0)
            if chosen:
                line = QRectF(area.x(), self.height() - 2, area.width(), 2)
                focused = self.hasFocus() and chosen
                painter.fillRect(line, current.tokens.focus if focused else current.tokens.accent)
                if focused:
                    painter.fillRect(QRectF(area.x(), 0, area.width(), 2), current.tokens.focus)
            if index in self._failed:
                spot = QRectF(area.x(), 0, px(14), self.height())
                paint_mark(painter, spot, "circle-x", current.tokens.failure, current.tokens.surface, 14)
                area.setLeft(area.left() + px(19))
            role, token = ("semibold", "text") if chosen else ("body", "text_secondary")
            paint_text(painter, area.adjusted(0, 0, px(4), 0), self.tabText(index), role, token)
