"""The rows of the step list as an item model."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from patchbay.desktop.ui.flows.editor.step_rows import RowKind, StepRow, row_index
from patchbay.domain.base import StepId

ROW_ROLE = Qt.ItemDataRole.UserRole + 1

Index = QModelIndex | QPersistentModelIndex


class StepListModel(QAbstractListModel):
    """The rows, in order; lines that add cannot be selected."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[StepRow, ...] = ()

    def show(self, rows: tuple[StepRow, ...]) -> None:
        """Take other rows; where the tree stays as it was, only what is drawn changes."""
        if _layout_key(rows) == _layout_key(self._rows):
            before, self._rows = self._rows, rows
            for number, (old, new) in enumerate(zip(before, rows, strict=True)):
                if old != new:
                    self.dataChanged.emit(self.index(number), self.index(number))
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    @property
    def rows(self) -> Sequence[StepRow]:
        return self._rows

    def row(self, index: Index) -> StepRow | None:
        return self._rows[index.row()] if index.isValid() and index.row() < len(self._rows) else None

    def row_of(self, step_id: StepId | None) -> int:
        return row_index(self._rows, step_id)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.row(index)
        if row is None:
            return Qt.ItemFlag.NoItemFlags
        if row.kind is RowKind.ADD:
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
        base = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return base | Qt.ItemFlag.ItemIsDragEnabled if row.movable else base

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index)
        if row is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.accessible_text
        return row if role == ROW_ROLE else None


def _layout_key(rows: Sequence[StepRow]) -> list[tuple[object, ...]]:
    """What decides where everything stands."""
    return [(row.id, row.kind, row.depth, row.folded, row.insert_point) for row in rows]
