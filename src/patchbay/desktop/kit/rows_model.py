"""The base of list models whose rows are all in memory."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt

from patchbay.desktop.kit.item_views import ITEM_ROLE, Index

Row = TypeVar("Row")


class RowsModel(QAbstractListModel, Generic[Row]):
    """Rows that are replaced as a whole; `ITEM_ROLE` returns the row, `value` the data of all other roles.

    Rows with the same keys in the same order are updated in place: the selection and open editors stay.
    Without `key`, new rows always reset the model.
    """

    def __init__(self, parent: QObject | None = None, *, key: Callable[[Row], object] | None = None) -> None:
        super().__init__(parent)
        self._key = key
        self.rows: tuple[Row, ...] = ()

    def set_rows(self, rows: Sequence[Row]) -> bool:
        """Show rows. Returns whether the model was reset, which loses the selection and scroll position."""
        before, after = self.rows, tuple(rows)
        if self._key is None or [self._key(row) for row in before] != [self._key(row) for row in after]:
            self.beginResetModel()
            self.rows = after
            self.endResetModel()
            return True
        self.rows = after
        for number, (old, new) in enumerate(zip(before, after, strict=True)):
            if self.differs(old, new):
                self.dataChanged.emit(self.index(number), self.index(number))
        return False

    def differs(self, old: Row, new: Row) -> bool:
        """Return whether a row must be repainted."""
        return old != new

    def row(self, index: Index) -> Row | None:
        """The row at an index; None for an invalid index."""
        return self.rows[index.row()] if index.isValid() and index.row() < len(self.rows) else None

    def find_row(self, matches: Callable[[Row], bool]) -> int:
        """Return the number of the first row that matches; -1 if there is none."""
        return next((number for number, row in enumerate(self.rows) if matches(row)), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index)
        if row is None or role == ITEM_ROLE:
            return row
        return self.value(row, role)

    @abstractmethod
    def value(self, row: Row, role: int) -> Any:
        """Return what a row shows under one of Qt's roles; None for roles it doesn't use."""
