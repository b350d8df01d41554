"""Item views: base classes of rows and tables, painting, and Python values on Qt items."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
    QStandardItem,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.icons import paint_app, paint_icon
from patchbay.desktop.kit.marks import mark_of, paint_state_mark
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.theme import theme
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.executions import ExecutionState, StepState

Index = QModelIndex | QPersistentModelIndex
ITEM_ROLE = int(Qt.ItemDataRole.UserRole) + 1
"""The role of the object that a row shows."""
_FILLED = "filled"
State = ExecutionState | StepState | ConnectionHealth | None
FindApp = Callable[[AppKey | None], AppInfo | None]


class _HasData(Protocol):
    def data(self, role: int, /) -> Any: ...


class _Stored:
    """Wraps a value so that Qt doesn't convert it."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


def store_value(item: QStandardItem, value: object, role: int) -> None:
    """Store a Python value on an item under one of our roles, to be read back as the same object.

    Qt converts types it knows: a `StrEnum` comes back as `str`, an `int` of more than 64 bits is rejected,
    and text with half a surrogate pair comes back empty. It passes on objects of other types untouched.
    """
    item.setData(_Stored(value), role)


def stored_value(place: QModelIndex | QPersistentModelIndex | _HasData, role: int) -> Any:
    """The value stored by `store_value`; None if there is none."""
    found = place.data(role)
    return found.value if isinstance(found, _Stored) else None


def begin_rename(editor: QWidget, name: str) -> None:
    """Fill the field that renames a row and select its text. Typed text stays when the row is read again."""
    if isinstance(editor, QLineEdit) and not editor.property(_FILLED):
        editor.setProperty(_FILLED, True)
        editor.setText(name)
        editor.selectAll()


def paint_row_background(
    painter: QPainter,
    option: QStyleOptionViewItem,
    *,
    first: bool = True,
    rule: bool = True,
    hovered: bool | None = None,
) -> None:
    """Paint the background of a row or cell: selection with accent bar (in the `first` column), hover, line,
    focus ring.
    """
    tokens = theme().tokens
    rect: QRect = option.rect
    state: QStyle.StateFlag = option.state
    selected = bool(state & QStyle.StateFlag.State_Selected)
    over = bool(state & QStyle.StateFlag.State_MouseOver) if hovered is None else hovered
    active = bool(state & QStyle.StateFlag.State_Active)
    if selected:
        painter.fillRect(rect, tokens.selected if active else tokens.selected_inactive)
    elif over:
        painter.fillRect(rect, tokens.hover)
    if rule:
        painter.fillRect(QRect(rect.x(), rect.bottom(), rect.width(), 1), tokens.row_line)
    if selected and first and active:
        painter.fillRect(QRect(rect.x(), rect.y(), theme().px(3), rect.height()), tokens.accent)
    if state & QStyle.StateFlag.State_HasFocus and not selected:
        paint_focus(painter, rect)


def paint_focus(painter: QPainter, rect: QRect) -> None:
    """Paint the focus ring inside a row."""
    painter.save()
    painter.setPen(QPen(theme().tokens.focus, 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(QRectF(rect).adjusted(1, 1, -1, -1))
    painter.restore()


def paint_status(
    painter: QPainter, rect: QRect | QRectF, state: State, text: str | None = None, *, size: int = 16
) -> None:
    """Paint the mark and the label of a state (or `text`) in its colour."""
    area = QRectF(rect)
    current = theme()
    mark = mark_of(state)
    side = current.px(size)
    paint_state_mark(painter, QRectF(area.x(), area.y(), side, area.height()), state, size)
    words = area.adjusted(side + current.px(6), 0, 0, 0)
    paint_text(painter, words, mark.word if text is None else text, "body", mark.token)


class RowDelegate(QStyledItemDelegate):
    """A delegate with rows of one height (given for a 13 px body); `hovered` is the row under the pointer."""

    def __init__(self, parent: QWidget | None = None, *, height: int = 32) -> None:
        super().__init__(parent)
        self._height = height
        self.hovered = -1

    @property
    def row_height(self) -> int:
        """The height of a row in pixels."""
        return theme().px(self._height)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(theme().px(80), self.row_height)


class TableHeader(QHeaderView):
    """Column titles with the paddings of the rows; the sort arrow is beside the text."""

    def __init__(self, parent: QWidget | None = None, *, padding: int = 8, first_padding: int = 16) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._padding, self._first = padding, first_padding
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setFixedHeight(theme().px(30))
        self.setHighlightSections(False)
        self.setAccessibleName(tr("Columns"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N803
        current, model = theme(), self.model()
        painter.fillRect(rect, current.tokens.surface)
        painter.fillRect(QRect(rect.x(), rect.bottom(), rect.width(), 1), current.tokens.border)
        role = Qt.ItemDataRole.TextAlignmentRole
        asked = model.headerData(logicalIndex, Qt.Orientation.Horizontal, role)
        right = bool(asked) and bool(Qt.AlignmentFlag(asked) & Qt.AlignmentFlag.AlignRight)
        left = self._first if self.visualIndex(logicalIndex) == 0 else self._padding
        area = QRectF(rect).adjusted(current.px(left), 0, -current.px(self._padding), 0)
        words = str(model.headerData(logicalIndex, Qt.Orientation.Horizontal) or "")
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.save()
        width = paint_text(painter, area, words, "caption", "text_tertiary", side)
        if self.isSortIndicatorShown() and self.sortIndicatorSection() == logicalIndex:
            down = self.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder
            x = area.right() - width - current.px(16) if right else area.x() + width + current.px(4)
            arrow = QRectF(x, rect.y(), current.px(12), rect.height())
            paint_icon(painter, arrow, "chevron-down" if down else "chevron-up", "text_tertiary", 12)
        painter.restore()


def force_active_state(option: QStyleOptionViewItem) -> None:
    """Paint the selection as active while its window is active, whether or not its list has the focus."""
    if option.widget is not None and option.widget.window().isActiveWindow():
        option.state |= QStyle.StateFlag.State_Active


def paint_app_icons(painter: QPainter, area: QRectF, keys: Sequence[AppKey], find_app: FindApp) -> None:
    """Paint up to three app icons; with more apps, two and "+n"."""
    shown = keys if len(keys) <= 3 else keys[:2]
    side, pitch = theme().px(16), theme().px(22)
    for place, key in enumerate(shown):
        paint_app(painter, QRectF(area.x() + place * pitch, area.y(), side, area.height()), find_app(key))
    if len(keys) > 3:
        rest = area.adjusted(2 * pitch, 0, 0, 0)
        paint_text(painter, rest, f"+{len(keys) - 2}", "caption", "text_tertiary")


class RowsTable(QTableView):
    """A table with rows of the delegate's height, selected and hovered as a whole; `lay_out` sets the column
    widths.
    """

    def __init__(
        self,
        name: str,
        delegate: RowDelegate,
        header: TableHeader | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._row_delegate = delegate
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

    def layout_columns(self, room: int) -> None:
        """Set the column widths to fill `room` pixels."""

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.rowAt(round(event.position().y())))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.layout_columns(self.viewport().width())

    def _scale(self) -> None:
        self.verticalHeader().setMinimumSectionSize(self._row_delegate.row_height)
        self.verticalHeader().setDefaultSectionSize(self._row_delegate.row_height)
        self.layout_columns(self.viewport().width())

    def _hover(self, row: int) -> None:
        if row != self._row_delegate.hovered:
            self._row_delegate.hovered = row
            self.viewport().update()
