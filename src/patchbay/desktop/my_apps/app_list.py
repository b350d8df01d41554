"""The list of apps: item model, painting as row or tile, and the view."""

from typing import Any

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QStyle, QStyleOptionViewItem, QWidget

from patchbay.desktop.core.language import number_text, tr
from patchbay.desktop.kit.buttons import paint_box
from patchbay.desktop.kit.icons import paint_app_tile
from patchbay.desktop.kit.item_views import ITEM_ROLE, Index, RowDelegate, paint_row_background
from patchbay.desktop.kit.mark_painting import paint_mark
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.rows_model import RowsModel
from patchbay.desktop.kit.shortcuts import RENAME
from patchbay.desktop.kit.text import plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.my_apps.view_models.app_list import AppRow, AppSection, Blocker, HealthGroup
from patchbay.domain.base import AppKey

Entry = AppRow | tuple[str, int]
"""A row, or a section heading with its number of apps."""


class AppListModel(RowsModel[Entry]):
    """The item model of apps: sections with headings that can't be selected."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, key=_entry_key)

    def set_sections(self, sections: tuple[AppSection, ...]) -> bool:
        """Show sections. Returns whether the model was reset, which loses selection and scroll position."""
        new_entries: list[Entry] = []
        for section in sections:
            if section.heading:
                new_entries.append((section.heading, len(section.rows)))
            new_entries.extend(section.rows)
        return self.set_rows(new_entries)

    def row_of(self, key: AppKey) -> int:
        """Return the row of an app; -1 if it isn't listed."""
        return self.find_row(lambda entry: isinstance(entry, AppRow) and entry.app.key == key)

    def next_app(self, row: int, step: int) -> int:
        """Return the nearest app row in this direction; -1 if there is none."""
        row += step
        while 0 <= row < len(self.rows):
            if isinstance(self.rows[row], AppRow):
                return row
            row += step
        return -1

    @property
    def app_count(self) -> int:
        """The number of apps, without headings."""
        return sum(isinstance(entry, AppRow) for entry in self.rows)

    def value(self, entry: Entry, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.app.name if isinstance(entry, AppRow) else entry[0]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return _accessible_text(entry)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(_accessible_text(entry))
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not isinstance(self.row(index), AppRow):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


def _entry_key(entry: Entry) -> str:
    return entry.app.key if isinstance(entry, AppRow) else f"heading:{entry[0]}"


def _accessible_text(entry: Entry) -> str:
    if not isinstance(entry, AppRow):
        return f"{entry[0]}, {number_text(entry[1])}"
    return ", ".join(filter(None, (entry.app.name, entry.counts, entry.word)))


# Painting

COLUMNS = 3
ROW_HEIGHT = 46
HEADING_HEIGHT = 30
TILE_HEIGHT = 118

_MARKS = {
    HealthGroup.ATTENTION: ("triangle-alert", "warning"),
    HealthGroup.BROKEN: ("circle-x", "failure"),
    HealthGroup.VALID: ("circle-check", "success"),
    HealthGroup.UNTESTED: ("circle-dashed", "text_secondary"),
}
_BLOCKER_MARKS = {Blocker.LOCKED: ("lock", "warning"), Blocker.UNREACHABLE: ("unplug", "warning")}
"""The marks of blockers that say nothing about the validity of credentials."""


class AppDelegate(RowDelegate):
    """Paints apps as 46 px rows or 118 px tiles, with 30 px headings."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view, height=ROW_HEIGHT)
        self._view = view
        self.grid = False

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        heading, width = not isinstance(index.data(ITEM_ROLE), AppRow), self._view.viewport().width()
        if not self.grid:
            return QSize(theme().px(80), theme().px(HEADING_HEIGHT if heading else ROW_HEIGHT))
        cell_width = width if heading else max(theme().px(60), width // COLUMNS)
        return QSize(cell_width, theme().px(HEADING_HEIGHT if heading else TILE_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry, rect = index.data(ITEM_ROLE), QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not isinstance(entry, AppRow):
            _paint_heading(painter, rect, *entry)
        elif self.grid:
            _paint_tile(painter, rect, entry, option)
        else:
            paint_row_background(painter, option)
            _paint_row(painter, rect, entry)
        painter.restore()


def _paint_heading(painter: QPainter, rect: QRectF, heading: str, number: int) -> None:
    px, tokens = theme().px, theme().tokens
    painter.fillRect(rect, tokens.sidebar)
    painter.fillRect(QRectF(rect.x(), rect.bottom() - 1, rect.width(), 1), tokens.border)
    text_rect = rect.adjusted(px(16), 0, 0, 0)
    width = paint_text(painter, text_rect, heading, "caption_strong", "text_tertiary")
    paint_text(
        painter, text_rect.adjusted(width + px(6), 0, 0, 0), number_text(number), "caption", "text_tertiary"
    )


def _paint_row(painter: QPainter, rect: QRectF, row: AppRow) -> None:
    px = theme().px
    tile = QRectF(rect.x() + px(16), rect.y() + px(7), px(32), px(32))
    paint_app_tile(painter, tile, row.app)
    right = rect.right() - px(16)
    if row.word:
        width = _health_width(row, "body")
        right -= width
        _paint_health(painter, QRectF(right, rect.y(), width, rect.height()), row, "body")
    text_rect = QRectF(tile.right() + px(12), rect.y() + px(5), right - tile.right() - px(24), px(18))
    paint_text(painter, text_rect, row.app.name, "medium")
    paint_text(painter, text_rect.translated(0, px(18)), row.counts, "caption", "text_secondary")


def _paint_tile(painter: QPainter, rect: QRectF, row: AppRow, option: QStyleOptionViewItem) -> None:
    px = theme().px
    _paint_tile_background(painter, rect, option)
    side = px(44)
    glyph = QRectF(rect.center().x() - side / 2, rect.y() + px(14), side, side)
    paint_app_tile(painter, glyph.toRect().toRectF(), row.app)
    text_rect = QRectF(rect.x() + px(6), glyph.bottom() + px(8), rect.width() - px(12), px(18))
    paint_text(painter, text_rect, row.app.name, "medium", align=Qt.AlignmentFlag.AlignHCenter)
    below = text_rect.translated(0, px(18))
    if row.word:
        width = min(_health_width(row, "caption"), below.width())
        left = below.center().x() - width / 2
        _paint_health(painter, QRectF(left, below.y(), width, below.height()), row, "caption")
    else:
        paint_text(
            painter, below, row.counts, "caption", "text_secondary", align=Qt.AlignmentFlag.AlignHCenter
        )


def _paint_tile_background(painter: QPainter, rect: QRectF, option: QStyleOptionViewItem) -> None:
    tokens, state = theme().tokens, option.state
    tile_rect = rect.adjusted(theme().px(4), theme().px(4), -theme().px(4), -theme().px(4))
    active = bool(state & QStyle.StateFlag.State_Active)
    if state & QStyle.StateFlag.State_Selected:
        fill = tokens.selected if active else tokens.selected_inactive
        paint_box(painter, tile_rect, fill, tokens.accent if active else tokens.border_control, radius=8)
    elif state & QStyle.StateFlag.State_MouseOver:
        paint_box(painter, tile_rect, tokens.hover, tokens.border, radius=8)


def health_mark(row: AppRow) -> tuple[str, str]:
    """Return icon and colour token of an app's health."""
    if row.testing:
        return "spinner", "accent_text"
    return (_BLOCKER_MARKS.get(row.blocker) if row.blocker else None) or _MARKS[row.group]


def _health_width(row: AppRow, role: str) -> float:
    return QFontMetricsF(theme().font(role)).horizontalAdvance(row.word) + theme().px(23)


def _paint_health(painter: QPainter, rect: QRectF, row: AppRow, role: str) -> None:
    """Paint the icon and label of an app's health."""
    icon, token = health_mark(row)
    mark = QRectF(rect.x(), rect.y(), theme().px(16), rect.height())
    paint_mark(painter, mark, icon, theme().color(token), theme().tokens.surface)
    paint_text(painter, rect.adjusted(theme().px(22), 0, 1, 0), row.word, role, token)


# View

_CursorAction = QAbstractItemView.CursorAction
_STEP_BY_MOVE = {
    _CursorAction.MoveLeft: -1,
    _CursorAction.MoveRight: 1,
    _CursorAction.MovePrevious: -1,
    _CursorAction.MoveNext: 1,
}


class AppList(QListView):
    """The list of apps; one is selected at a time. Arrow keys skip headings."""

    chosen = Signal(str)
    rename_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = AppListModel(self)
        self.setModel(self.rows)
        self._delegate = AppDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Apps"))
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(self._current_changed)

    @property
    def grid(self) -> bool:
        """Whether apps are shown as a grid."""
        return self._delegate.grid

    def set_grid(self, grid: bool) -> None:
        """Show tiles in three columns, or rows."""
        if grid == self.grid:
            return
        self._delegate.grid = grid
        self.setFlow(QListView.Flow.LeftToRight if grid else QListView.Flow.TopToBottom)
        self.setWrapping(grid)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        # The width of the tiles depends on whether the bar is there; it must not come and go with them.
        on, as_needed = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.setVerticalScrollBarPolicy(on if grid else as_needed)
        self.doItemsLayout()
        self.scrollTo(self.currentIndex())

    def set_sections(self, sections: tuple[AppSection, ...], selected: AppKey) -> None:
        """Show sections and the selected app without emitting a selection."""
        self.blockSignals(True)
        self.rows.set_sections(sections)
        self.select(selected)
        self.blockSignals(False)

    def select(self, key: AppKey) -> None:
        """Select an app without emitting a selection."""
        row = self.rows.row_of(key)
        index = self.rows.index(row)
        if row >= 0 and not self.selectionModel().isSelected(index):
            self.setCurrentIndex(index)

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """In the grid, Left and Right continue on the neighbouring line."""
        if self.grid and action in _STEP_BY_MOVE:
            row = self.rows.next_app(self.currentIndex().row(), _STEP_BY_MOVE[action])
            return self.rows.index(row) if row >= 0 else self.currentIndex()
        return super().moveCursor(action, modifiers)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if RENAME.matches(event):
            self.rename_requested.emit()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.grid:
            self.scheduleDelayedItemsLayout()

    def _current_changed(self, current: QModelIndex) -> None:
        entry = current.data(ITEM_ROLE)
        if isinstance(entry, AppRow):
            self.chosen.emit(entry.app.key)
