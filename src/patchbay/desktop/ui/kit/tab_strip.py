"""Small tabs over a pane: words, a 2 px line, and a mark where one needs attention."""

from collections.abc import Iterable

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QTabBar, QWidget

from patchbay.desktop.ui.kit.delegates import paint_text
from patchbay.desktop.ui.kit.marks import paint_mark
from patchbay.desktop.ui.kit.theme import theme


class TabStrip(QTabBar):
    """Tabs measured with the strong font, so that choosing one never moves its neighbours."""

    def __init__(self, names: Iterable[str], accessible_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._failed: set[int] = set()
        self.setAccessibleName(accessible_name)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setElideMode(Qt.TextElideMode.ElideNone)
        for name in names:
            self.addTab(name)
        theme().changed.connect(self.updateGeometry)

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
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index in range(self.count()):
            if self.isTabVisible(index):
                self._paint_tab(painter, index)

    def _paint_tab(self, painter: QPainter, index: int) -> None:
        tokens, px = theme().tokens, theme().px
        chosen = index == self.currentIndex()
        area = QRectF(self.tabRect(index)).adjusted(0, 0, -px(20), 0)
        if chosen:
            colour = tokens.focus if self.hasFocus() else tokens.accent
            painter.fillRect(QRectF(area.x(), self.height() - 2, area.width(), 2), colour)
            if self.hasFocus():
                painter.fillRect(QRectF(area.x(), 0, area.width(), 2), colour)
        if index in self._failed:
            spot = QRectF(area.x(), 0, px(14), self.height())
            paint_mark(painter, spot, "circle-x", tokens.failure, tokens.surface, 14)
            area.setLeft(area.left() + px(19))
        role, token = ("semibold", "text") if chosen else ("body", "text_secondary")
        paint_text(painter, area.adjusted(0, 0, px(4), 0), self.tabText(index), role, token)
