"""The header of the Flows list: column names that sort."""

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.state.flows_rows import FlowSort
from patchbay.desktop.ui.flows.list_columns import HeaderCell, header_cells
from patchbay.desktop.ui.kit.delegates import paint_text
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.text import plain_tip
from patchbay.desktop.ui.kit.theme import theme

HEIGHT = 30


class FlowListHeader(QWidget):
    """Names of the columns, drawn where the rows have them. A click sorts, another turns the order round."""

    sort_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sort, self._descending = FlowSort.STATUS, True
        self._width = 0
        self._over: HeaderCell | None = None
        self.setFixedHeight(theme().px(HEIGHT))
        self.setMouseTracking(True)
        self.setAccessibleName("Columns")

    def set_row_width(self, width: int) -> None:
        """The width of the rows below, which a scroll bar makes narrower than the header."""
        self._width = width
        self.update()

    def show_sort(self, by: FlowSort, descending: bool) -> None:
        self._sort, self._descending = by, descending
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._cell_at(event.position().x())
        if cell is not None and cell.sort is not None:
            self.sort_wanted.emit(cell.sort)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._over = self._cell_at(event.position().x())
        sortable = self._over is not None and self._over.sort is not None
        self.setToolTip(plain_tip(f"Sort by {self._over.label.lower()}" if self._over and sortable else ""))
        self.update()

    def leaveEvent(self, event: object) -> None:
        self._over = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        current = theme()
        painter.fillRect(self.rect(), current.tokens.surface)
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), current.tokens.border)
        for cell in header_cells(self._width or self.width()):
            over = self._over is not None and self._over.label == cell.label and cell.sort is not None
            area = QRectF(cell.left, 0, cell.right - cell.left - current.px(20), self.height())
            taken = paint_text(painter, area, cell.label, "caption", "text" if over else "text_tertiary")
            if cell.sort is self._sort:
                name = "chevron-down" if self._descending else "chevron-up"
                arrow = QRectF(cell.left + taken + current.px(4), 0, current.px(12), self.height())
                paint_icon(painter, arrow, name, "text_tertiary", 12)

    def _cell_at(self, x: float) -> HeaderCell | None:
        for cell in header_cells(self._width or self.width()):
            words = QFontMetricsF(theme().font("caption")).horizontalAdvance(cell.label)
            if cell.left - theme().px(8) <= x <= cell.left + words + theme().px(24):
                return cell
        return None
