"""The rows of the Flows list as an item model."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QByteArray,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from patchbay.desktop.state.flows_rows import FlowRow
from patchbay.desktop.ui.flows.list_texts import accessible_text
from patchbay.domain.base import EpochMs, FlowId

FLOW_MIME = "application/x-patchbay-flows"
ROW_ROLE = Qt.ItemDataRole.UserRole + 1

Index = QModelIndex | QPersistentModelIndex


class FlowListModel(QAbstractListModel):
    """Rows as the view-model gives them; `ROW_ROLE` hands out the `FlowRow`."""

    def __init__(self, clock: Callable[[], EpochMs], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._rows: tuple[FlowRow, ...] = ()

    def show(self, rows: tuple[FlowRow, ...]) -> bool:
        """Take other rows. Returns whether the order stayed, so that selection and scroll need no care."""
        same_order = [row.id for row in rows] == [row.id for row in self._rows]
        if same_order:
            self._update(rows)
        else:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
        return same_order

    def _update(self, rows: tuple[FlowRow, ...]) -> None:
        before, self._rows = self._rows, rows
        for number, (old, new) in enumerate(zip(before, rows, strict=True)):
            if old != new:
                self.dataChanged.emit(self.index(number), self.index(number))

    def row_of(self, flow_id: FlowId | None) -> int:
        return next((number for number, row in enumerate(self._rows) if row.id == flow_id), -1)

    def flow_row(self, index: Index) -> FlowRow | None:
        return self._rows[index.row()] if index.isValid() and index.row() < len(self._rows) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.flow_row(index)
        if row is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return row.flow.name
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return accessible_text(row, self._clock())
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        base = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable
        return base | Qt.ItemFlag.ItemIsDragEnabled | Qt.ItemFlag.ItemNeverHasChildren

    def mimeTypes(self) -> list[str]:
        return [FLOW_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        return flow_mime(tuple(row.id for index in indexes if (row := self.flow_row(index))))


def flow_mime(flow_ids: tuple[FlowId, ...]) -> QMimeData:
    data = QMimeData()
    data.setData(FLOW_MIME, QByteArray(json.dumps(flow_ids).encode()))
    return data


def dragged_flows(data: QMimeData) -> tuple[FlowId, ...]:
    """The flows under way in a drag; none when something else is dragged."""
    if not data.hasFormat(FLOW_MIME):
        return ()
    return tuple(json.loads(bytes(data.data(FLOW_MIME).data()).decode()))
