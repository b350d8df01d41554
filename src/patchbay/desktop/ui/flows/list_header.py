"""The header of the Flows list: column names that sort."""

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import QAccessible, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from patchbay.desktop.state.flows_rows import FlowSort
from patchbay.desktop.ui.flows.list_columns import HeaderCell, header_cells
from patchbay.desktop.ui.kit.accessibility import SelfDescribing
from patchbay.desktop.ui.kit.delegates import paint_text
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.text import plain_tip
from patchbay.desktop.ui.kit.theme import theme

HEIGHT = 30


class _ColumnButton(SelfDescribing, FocusRinged, QAbstractButton):
    """The name of one column, with an arrow when the list is sorted by it. A click, Space or Enter sorts."""

    accessible_role = QAccessible.Role.ColumnHeader
    ring_radius = 4

    def __init__(self, cell: HeaderCell, parent: QWidget) -> None:
        super().__init__(parent)
        self.cell = cell
        self.descending: bool | None = None
        """None: the list isn't sorted by this column."""
        self.setAccessibleName(cell.label)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setToolTip(plain_tip(f"Sort by {cell.label.lower()}"))

    def accessible_value(self) -> str:
        if self.descending is None:
            return ""
        return "Sorted, descending" if self.descending else "Sorted, ascending"

    def show_sort(self, descending: bool | None) -> None:
        if descending is not self.descending:
            self.descending = descending
            self.tell_value()
            self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, current = QPainter(self), theme()
        left, height = current.px(8), self.height()
        color = "text" if self.underMouse() else "text_tertiary"
        area = QRectF(left, 0, self.width() - left, height)
        label_width = paint_text(painter, area, self.cell.label, "caption", color)
        if self.descending is not None:
            name = "chevron-down" if self.descending else "chevron-up"
            arrow = QRectF(left + label_width + current.px(4), 0, current.px(12), height)
            paint_icon(painter, arrow, name, "text_tertiary", 12)


class FlowListHeader(QWidget):
    """Names of the columns where the rows have them. A click sorts, another turns the order round."""

    sort_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sort, self._descending = FlowSort.STATUS, True
        self._width = 0
        self._column_buttons: dict[str, _ColumnButton] = {}
        self.setFixedHeight(theme().px(HEIGHT))
        self.setAccessibleName("Columns")

    def set_row_width(self, width: int) -> None:
        """The width of the rows below, which a scroll bar makes narrower than the header."""
        self._width = width
        self._lay_out_columns()

    def show_sort(self, by: FlowSort, descending: bool) -> None:
        self._sort, self._descending = by, descending
        self._lay_out_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._lay_out_columns()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, current = QPainter(self), theme()
        painter.fillRect(self.rect(), current.tokens.surface)
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), current.tokens.border)
        for cell in self._header_cells():
            if cell.sort is None:
                area = QRectF(cell.left, 0, cell.right - cell.left - current.px(20), self.height())
                paint_text(painter, area, cell.label, "caption", "text_tertiary")

    def _header_cells(self) -> tuple[HeaderCell, ...]:
        return header_cells(self._width or self.width())

    def _lay_out_columns(self) -> None:
        metrics, px = QFontMetricsF(theme().font("caption")), theme().px
        for cell in self._header_cells():
            if cell.sort is None:
                continue
            if (name := self._column_buttons.get(cell.label)) is None:
                name = self._column_buttons[cell.label] = _ColumnButton(cell, self)
                name.clicked.connect(lambda _=False, by=cell.sort: self.sort_requested.emit(by))
                name.show()
            width = min(metrics.horizontalAdvance(cell.label) + px(32), cell.right - cell.left)
            name.setGeometry(QRect(round(cell.left - px(8)), 0, round(width), self.height() - 1))
            name.show_sort(self._descending if cell.sort is self._sort else None)
        self.update()
