"""The table of folders: statistics, and renaming in place."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem, QWidget

from patchbay.desktop.core.language import number_text, tr
from patchbay.desktop.core.times import ago
from patchbay.desktop.folders.view_models.folders import FolderRow, FoldersViewModel
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.item_views import (
    ITEM_ROLE,
    Index,
    RowDelegate,
    RowsTable,
    TableHeader,
    begin_rename,
    force_active_state,
    paint_row_background,
)
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.shortcuts import DELETE, OPEN_ENTRY, RENAME
from patchbay.desktop.kit.theme import theme
from patchbay.domain.base import EpochMs

TITLES = (
    tr("Folder"),
    tr("Flows"),
    tr("Published", "column: number of flows"),
    tr("Drafts"),
    tr("Runs, 7 days"),
    tr("Success", "column: share of successful runs"),
    tr("Last run"),
)
NAME_COLUMN = 0
COLUMN_WIDTHS = {1: 72, 2: 96, 3: 72, 4: 104, 5: 88, 6: 116}
HIDE_ORDER = (3, 2, 5)
"""Columns hidden first when there is no room, in this order."""


def cells(row: FolderRow, now: EpochMs) -> tuple[str, ...]:
    """Return the texts of a folder's columns."""
    stats, rate = row.stats, row.success_rate
    return (
        row.name,
        number_text(stats.flows) if stats.flows else "–",
        number_text(stats.published) if stats.published else "–",
        number_text(row.drafts) if row.drafts else "–",
        number_text(stats.runs) if stats.runs else "–",
        "–" if rate is None else tr("{n}%", n=number_text(rate * 100, 0 if rate in (0, 1) else 1)),
        "–" if stats.last_run_at is None else ago(stats.last_run_at, now),
    )


class FoldersModel(QAbstractTableModel):
    """The item model of folders; names of editable folders can be changed."""

    renamed = Signal(str, str)

    def __init__(self, clock: Callable[[], EpochMs], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._rows: tuple[FolderRow, ...] = ()

    def set_rows(self, rows: Sequence[FolderRow]) -> None:
        """Show rows. The same folders are updated in place so that an open editor stays."""
        same = [row.key for row in rows] == [row.key for row in self._rows]
        if same:
            self._rows = tuple(rows)
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(TITLES) - 1))
            return
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def row_of(self, key: str) -> int:
        """The row of a folder; -1 if it isn't shown."""
        return next((at for at, row in enumerate(self._rows) if row.key == key), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(TITLES)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == ITEM_ROLE:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return cells(row, self._clock())[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        return None

    def setData(self, index: Index, value: Any, role: int = int(Qt.ItemDataRole.EditRole)) -> bool:
        if role != Qt.ItemDataRole.EditRole or not str(value).strip():
            return False
        self.renamed.emit(self._rows[index.row()].key, str(value))
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        is_editable = (
            index.isValid() and index.column() == NAME_COLUMN and self._rows[index.row()].folder is not None
        )
        return flags | Qt.ItemFlag.ItemIsEditable if is_editable else flags

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(TITLES):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return tr("Folders are sorted by name.")
        return _alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if column == NAME_COLUMN else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter


class FolderHeader(TableHeader):
    """Aligns the last title with its numbers, 16 px from the edge."""

    def __init__(self) -> None:
        super().__init__(first_padding=48)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        if section == len(TITLES) - 1:
            super().paintSection(painter, rect, -1)
            rect = rect.adjusted(0, 0, -theme().px(8), 0)
        super().paintSection(painter, rect, section)


class FolderDelegate(RowDelegate):
    """Paints 40 px rows: icon, name, and statistics."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, height=40)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        force_active_state(option)
        paint_row_background(painter, option, first=index.column() == 0, hovered=index.row() == self.hovered)
        row: FolderRow = index.data(ITEM_ROLE)
        px = theme().px
        area = QRectF(option.rect)
        painter.save()
        if index.column() == NAME_COLUMN:
            icon = QRectF(area.x() + px(16), area.y(), px(16), area.height())
            paint_icon(painter, icon, "folder" if row.folder else "inbox")
            token = "text" if row.folder else "text_secondary"
            paint_text(painter, area.adjusted(px(48), 0, -px(8), 0), row.name, "medium", token)
        else:
            last = index.column() == len(TITLES) - 1
            area.adjust(px(8), 0, -px(16 if last else 8), 0)
            role, token = ("caption", "text_secondary") if last else ("body", "text")
            paint_text(painter, area, str(index.data()), role, token, Qt.AlignmentFlag.AlignRight)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = LineEdit(str(index.data()), tr("Name"), parent)
        editor.setAccessibleName(tr("Folder name"))
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        begin_rename(editor, str(index.data()))

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        px, rect = theme().px, QRect(option.rect)
        editor.setGeometry(rect.x() + px(39), rect.y() + (rect.height() - px(28)) // 2, px(277), px(28))
        editor.setFixedHeight(px(28))


class FoldersTable(RowsTable):
    """All folders. Enter opens one in Flows, F2 renames, Delete deletes."""

    opened = Signal()
    delete_requested = Signal()

    def __init__(
        self, screen: FoldersViewModel, clock: Callable[[], EpochMs], parent: QWidget | None = None
    ) -> None:
        super().__init__(tr("Folders"), FolderDelegate(), FolderHeader(), parent)
        self._screen = screen
        self.folders = FoldersModel(clock, self)
        self.setModel(self.folders)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.doubleClicked.connect(self.opened)
        self.folders.renamed.connect(screen.rename)
        self.selectionModel().currentRowChanged.connect(self._on_row_selected)
        screen.rows_changed.connect(self._show)
        screen.selection_changed.connect(self._select)
        screen.created.connect(lambda _: self.rename())

    def rename(self) -> None:
        """Edit the name of the selected folder in place."""
        row = self.folders.row_of(self._screen.selected)
        if row >= 0:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            self.edit(self.folders.index(row, NAME_COLUMN))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if OPEN_ENTRY.matches(event) and not self._is_editing:
            self.opened.emit()
        elif DELETE.matches(event) and not self._is_editing:
            self.delete_requested.emit()
        elif RENAME.matches(event):
            self.rename()
        else:
            super().keyPressEvent(event)

    @property
    def _is_editing(self) -> bool:
        return self.state() is QAbstractItemView.State.EditingState

    def layout_columns(self, available_width: int) -> None:
        px = theme().px
        shown = {column: px(width) for column, width in COLUMN_WIDTHS.items()}
        for column in HIDE_ORDER:
            if available_width - sum(shown.values()) < px(220):
                shown.pop(column)
        for column in COLUMN_WIDTHS:
            self.setColumnHidden(column, column not in shown)
            if column in shown:
                self.setColumnWidth(column, shown[column])
        self.setColumnWidth(NAME_COLUMN, max(px(160), available_width - sum(shown.values())))

    def _show(self) -> None:
        self.folders.set_rows(self._screen.shown)
        self._select()

    def _select(self) -> None:
        row = self.folders.row_of(self._screen.selected)
        if row >= 0 and not self.selectionModel().isSelected(self.folders.index(row, NAME_COLUMN)):
            self.selectRow(row)

    def _on_row_selected(self, now: QModelIndex) -> None:
        row = now.data(ITEM_ROLE)
        if row is not None:
            self._screen.select(row.key)
