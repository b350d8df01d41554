"""A table model over a `PageWindow`: has all rows at once, with placeholders for those still loading."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.page_window import PageWindow
from patchbay.desktop.kit.item_views import ITEM_ROLE, Index
from patchbay.desktop.kit.text import plain_tip

TEXT_ROLES = frozenset((int(Qt.ItemDataRole.DisplayRole), int(Qt.ItemDataRole.AccessibleTextRole)))


@dataclass(frozen=True)
class Column:
    """A column: its title, its text for an item, and its tool tip."""

    key: str
    title: str
    text: Callable[[Any], str]
    right: bool = False
    tool_tip: Callable[[Any], str] | None = None


class WindowedModel(QAbstractTableModel):
    """Rows of the window by columns. Reading a row that isn't loaded requests its page.

    `ITEM_ROLE` is None while the row is loading (paint a skeleton).
    """

    def __init__(self, window: PageWindow[Any], columns: Sequence[Column], parent: QObject | None = None):
        super().__init__(parent)
        self.window, self.columns = window, tuple(columns)
        window.resetting.connect(self.beginResetModel)
        window.reset.connect(self.endResetModel)
        window.inserting.connect(lambda first, last: self.beginInsertRows(QModelIndex(), first, last))
        window.inserted.connect(self.endInsertRows)
        window.removing.connect(lambda first, last: self.beginRemoveRows(QModelIndex(), first, last))
        window.removed.connect(self.endRemoveRows)
        window.rows_changed.connect(self._on_rows_changed)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self.window.total

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not index.isValid():
            return None
        column = self.columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(column)
        item = self.window.item(index.row())
        if role == ITEM_ROLE:
            return item
        if role in TEXT_ROLES:
            return column.text(item) if item is not None else "…"
        if role == Qt.ItemDataRole.ToolTipRole and column.tool_tip and item is not None:
            return plain_tip(column.tool_tip(item))
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and 0 <= section < len(self.columns):
            if role == Qt.ItemDataRole.DisplayRole:
                return self.columns[section].title
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return self._alignment(self.columns[section])
            if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
                return tr("The newest are always first. Use the filters to find others.")
        return None

    @staticmethod
    def _alignment(column: Column) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter

    def _on_rows_changed(self, first: int, last: int) -> None:
        if 0 <= first <= last < self.window.total:
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(self.columns) - 1))
