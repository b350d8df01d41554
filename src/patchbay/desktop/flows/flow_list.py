"""The Flows list: the header with sortable columns, and the view with pointer, keyboard, and drag."""

from typing import Any

from PySide6.QtCore import QItemSelection, QModelIndex, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QContextMenuEvent,
    QDrag,
    QFocusEvent,
    QFontMetrics,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QListView,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.flows.flow_rows import (
    FlowDelegate,
    FlowListModel,
    HeaderCell,
    RowPart,
    flow_mime,
    header_cells,
    part_at,
    run_tooltip,
)
from patchbay.desktop.flows.view_models.flow_list import FlowSort
from patchbay.desktop.kit.accessibility import AccessibleMixin
from patchbay.desktop.kit.buttons import paint_box
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.shortcuts import CLEAR, DELETE, MOVE_TO_FOLDER, OPEN_ENTRY, RENAME
from patchbay.desktop.kit.text import plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.domain.base import FlowId

HEIGHT = 30
_SORT_TIPS = {
    FlowSort.NAME: tr("Sort by flow"),
    FlowSort.STATUS: tr("Sort by status"),
    FlowSort.LAST_RUN: tr("Sort by last run"),
    FlowSort.NEXT_RUN: tr("Sort by next run"),
}


class _ColumnButton(AccessibleMixin, FocusRinged, QAbstractButton):
    """The header of a sortable column, with an arrow while the list is sorted by it.

    A click, Space, or Enter sorts.
    """

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
        self.setToolTip(plain_tip(_SORT_TIPS[cell.sort]) if cell.sort else "")

    def accessible_value(self) -> str:
        if self.descending is None:
            return ""
        return tr("Sorted, descending") if self.descending else tr("Sorted, ascending")

    def show_sort(self, descending: bool | None) -> None:
        if descending is not self.descending:
            self.descending = descending
            self.announce_value()
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
    """Column headers aligned with the rows. A second click on a column reverses the order."""

    sort_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sort, self._descending = FlowSort.STATUS, True
        self._width = 0
        self._column_buttons: dict[FlowSort, _ColumnButton] = {}
        self.setFixedHeight(theme().px(HEIGHT))
        self.setAccessibleName(tr("Columns"))

    def set_row_width(self, width: int) -> None:
        """Align the header with rows that are `width` wide: narrower if there is a scroll bar."""
        self._width = width
        self._lay_out_columns()

    def show_sort(self, by: FlowSort, descending: bool) -> None:
        """Show which column the list is sorted by."""
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
            if (name := self._column_buttons.get(cell.sort)) is None:
                name = self._column_buttons[cell.sort] = _ColumnButton(cell, self)
                name.clicked.connect(lambda _=False, by=cell.sort: self.sort_requested.emit(by))
                name.show()
            width = min(metrics.horizontalAdvance(cell.label) + px(32), cell.right - cell.left)
            name.setGeometry(QRect(round(cell.left - px(8)), 0, round(width), self.height() - 1))
            name.show_sort(self._descending if cell.sort is self._sort else None)
        self.update()


# View

KEYBOARD_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class FlowListView(QListView):
    """Rows of flows. Check boxes show the selection; the current row has the keyboard focus."""

    opened = Signal(str)
    publish_toggled = Signal(str)
    menu_requested = Signal(str, QPoint)
    selection_edited = Signal(object)
    rename_requested = Signal(str)
    move_requested = Signal()
    delete_requested = Signal()
    escaped = Signal()
    rows_resized = Signal(int)

    def __init__(self, model: FlowListModel, delegate: FlowDelegate, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._flows, self._delegate = model, delegate
        self._restoring = False
        self._pressed: tuple[int, RowPart] | None = None
        self.setModel(model)
        self.setItemDelegate(delegate)
        self.setAccessibleName(tr("Flows"))
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setDragEnabled(True)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.doubleClicked.connect(self._open)
        theme().changed.connect(self.doItemsLayout)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.rows_resized.emit(self.viewport().width())

    # Rows and selection

    def show_rows(self, rows: Any, selected: tuple[FlowId, ...]) -> None:
        """Replace the rows; scroll position, current row, and selection stay with their flows."""
        current = self._flows.row(self.currentIndex())
        scroll_position = self.verticalScrollBar().value()
        self._restoring = True
        if self._flows.set_rows(rows):
            number = max(0, self._flows.row_of(current.id) if current else 0)
            flag = self.selectionModel().SelectionFlag.NoUpdate
            self.selectionModel().setCurrentIndex(self._flows.index(number), flag)
            self.verticalScrollBar().setValue(scroll_position)
        self._restoring = False
        self.show_selection(selected)

    def show_selection(self, selected: tuple[FlowId, ...]) -> None:
        """Select the rows of these flows."""
        self._delegate.any_selected = bool(selected)
        selection = QItemSelection()
        for flow_id in selected:
            index = self._flows.index(self._flows.row_of(flow_id))
            selection.select(index, index)
        self._restoring = True
        self.selectionModel().select(selection, self.selectionModel().SelectionFlag.ClearAndSelect)
        self._restoring = False
        self.viewport().update()

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        if not self._restoring:
            chosen = sorted(self.selectedIndexes(), key=lambda index: index.row())
            self.selection_edited.emit([row.id for index in chosen if (row := self._flows.row(index))])

    def current_id(self) -> FlowId | None:
        """The flow in the current row; None without one."""
        row = self._flows.row(self.currentIndex())
        return row.id if row else None

    def shows(self, flow_id: FlowId) -> bool:
        """Whether the row of this flow can be seen."""
        index = self._flows.index(self._flows.row_of(flow_id))
        return self.isVisible() and self.viewport().rect().intersects(self.visualRect(index))

    def rename(self, flow_id: FlowId) -> None:
        """Edit the flow's name in place."""
        index = self._flows.index(self._flows.row_of(flow_id))
        if index.isValid():
            self.scrollTo(index)
            self.selectionModel().setCurrentIndex(index, self.selectionModel().SelectionFlag.NoUpdate)
            self.edit(index)

    def _open(self, index: QModelIndex) -> None:
        if row := self._flows.row(index):
            self.opened.emit(row.id)

    # Pointer

    def _part_under(self, position: QPointF) -> tuple[int, RowPart] | None:
        index = self.indexAt(position.toPoint())
        if not index.isValid():
            return None
        return index.row(), part_at(QRectF(self.visualRect(index)), position)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        part_hit = self._part_under(event.position())
        self._pressed = part_hit
        self._delegate.show_focus = False
        if part_hit is None or part_hit[1] is RowPart.BODY or event.button() is not Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            if part_hit is None:
                self.clearSelection()
            return
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        flag = self.selectionModel().SelectionFlag.NoUpdate
        self.selectionModel().setCurrentIndex(self._flows.index(part_hit[0]), flag)
        if part_hit[1] is RowPart.CHECK:
            self._toggle(part_hit[0])

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, None
        if pressed is None or pressed[1] is RowPart.BODY or event.button() is not Qt.MouseButton.LeftButton:
            super().mouseReleaseEvent(event)
            return
        row = self._flows.row(self._flows.index(pressed[0]))
        if row is None or self._part_under(event.position()) != pressed:
            return
        if pressed[1] is RowPart.SWITCH and not row.busy:
            self.publish_toggled.emit(row.id)
        elif pressed[1] is RowPart.MENU:
            self.menu_requested.emit(row.id, event.globalPosition().toPoint())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        part_hit = self._part_under(event.position())
        if part_hit is not None and part_hit[1] is RowPart.BODY:
            super().mouseDoubleClickEvent(event)
        else:
            self.mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None or self._pressed[1] is RowPart.BODY:
            super().mouseMoveEvent(event)
        self._set_hover(self._part_under(event.position()))

    def leaveEvent(self, event: Any) -> None:
        super().leaveEvent(event)
        self._set_hover(None)

    def _set_hover(self, part_hit: tuple[int, RowPart] | None) -> None:
        if part_hit != self._delegate.hover:
            self._delegate.hover = part_hit
            self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.currentIndex()
        at = event.globalPos()
        if event.reason() is QContextMenuEvent.Reason.Mouse:
            index = self.indexAt(event.pos())
        elif index.isValid():
            at = self.viewport().mapToGlobal(self.visualRect(index).center())
        if row := self._flows.row(index):
            self.menu_requested.emit(row.id, at)

    def viewportEvent(self, event: Any) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QHelpEvent.Type.ToolTip:
            self._show_tooltip(event)
            return True
        return super().viewportEvent(event)

    def _show_tooltip(self, event: QHelpEvent) -> None:
        part_hit = self._part_under(QPointF(event.pos()))
        row = self._flows.row(self._flows.index(part_hit[0])) if part_hit else None
        if part_hit is None or row is None:
            QToolTip.hideText()
            return
        text = {
            RowPart.CHECK: tr("Select", "verb, a flow"),
            RowPart.MENU: tr("More actions"),
            RowPart.SWITCH: tr("Unpublish this flow") if row.flow.active else tr("Publish this flow"),
            RowPart.BODY: run_tooltip(row, self._delegate.now),
        }
        QToolTip.showText(event.globalPos(), plain_tip(text[part_hit[1]]), self)

    # Keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.state() is QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)  # the name editor didn't handle the key
            return
        self._delegate.show_focus = True
        flow_id = self.current_id()
        key = event.key()
        if OPEN_ENTRY.matches(event) and flow_id:
            self.opened.emit(flow_id)
        elif RENAME.matches(event) and flow_id:
            self.rename_requested.emit(flow_id)
        elif MOVE_TO_FOLDER.matches(event):
            self.move_requested.emit()
        elif DELETE.matches(event):
            self.delete_requested.emit()
        elif CLEAR.matches(event):
            self.escaped.emit()
        elif key == Qt.Key.Key_Space and flow_id:
            self._toggle(self.currentIndex().row())
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and not event.modifiers():
            self._move_current(-1 if key == Qt.Key.Key_Up else 1)
        else:
            super().keyPressEvent(event)

    def _move_current(self, by: int) -> None:
        """Move the current row without changing the selection."""
        last = self._flows.rowCount() - 1
        number = min(last, max(0, self.currentIndex().row() + by))
        flag = self.selectionModel().SelectionFlag.NoUpdate
        self.selectionModel().setCurrentIndex(self._flows.index(number), flag)

    def _toggle(self, number: int) -> None:
        flag = self.selectionModel().SelectionFlag.Toggle
        self.selectionModel().select(self._flows.index(number), flag)

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() in KEYBOARD_REASONS:
            self._delegate.show_focus = True
        super().focusInEvent(event)

    # Drag

    def startDrag(self, supportedActions: Qt.DropAction) -> None:  # noqa: N803
        rows = [row for index in self.selectedIndexes() if (row := self._flows.row(index))]
        if rows:
            drag = QDrag(self)
            drag.setMimeData(flow_mime(tuple(row.id for row in rows)))
            text = rows[0].flow.name if len(rows) == 1 else tr_count(len(rows), "{n} flow", "{n} flows")
            drag.setPixmap(drag_pixmap(text, self.devicePixelRatioF()))
            drag.setHotSpot(QPoint(-theme().px(10), -theme().px(14)))
            drag.exec(Qt.DropAction.MoveAction)

    def initViewItemOption(self, option: QStyleOptionViewItem) -> None:
        super().initViewItemOption(option)
        shown: Any = option
        shown.showDecorationSelected = True


def drag_pixmap(text: str, ratio: float) -> QPixmap:
    """Draw the card that follows the pointer while flows are dragged."""
    px = theme().px
    width = min(px(260), px(44) + QFontMetrics(theme().font("medium")).horizontalAdvance(text))
    pixmap = QPixmap(round(width * ratio), round(px(34) * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    card = QRectF(0, 0, width, px(34))
    paint_box(painter, card, theme().tokens.raised, theme().tokens.accent)
    paint_icon(painter, QRectF(px(8), 0, px(20), px(34)), "workflow", "accent_text")
    paint_text(painter, QRectF(px(33), 0, width - px(40), px(34)), text, "medium")
    painter.end()
    return pixmap
