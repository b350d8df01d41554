"""A table of painted rows: what all tables have in common."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QTableView, QWidget

from patchbay.desktop.ui.kit.delegates import RowDelegate, TableHeader
from patchbay.desktop.ui.kit.theme import theme


class RowsTable(QTableView):
    """Rows of the delegate's height, chosen and hovered as a whole; `lay_out` fits the columns."""

    def __init__(
        self,
        name: str,
        delegate: RowDelegate,
        header: TableHeader | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._rows = delegate
        delegate.setParent(self)
        self.setItemDelegate(delegate)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        titles = header or TableHeader(self)
        self.setHorizontalHeader(titles)
        titles.setSectionsClickable(False)
        titles.setMinimumSectionSize(0)
        self.verticalHeader().hide()
        self._scale()
        theme().changed.connect(self._scale)

    def lay_out(self, room: int) -> None:
        """Give the columns their widths in `room` pixels."""

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.rowAt(round(event.position().y())))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lay_out(self.viewport().width())

    def _scale(self) -> None:
        self.verticalHeader().setMinimumSectionSize(self._rows.row_height)
        self.verticalHeader().setDefaultSectionSize(self._rows.row_height)
        self.lay_out(self.viewport().width())

    def _hover(self, row: int) -> None:
        if row != self._rows.hovered:
            self._rows.hovered = row
            self.viewport().update()
