"""The steps of an execution, 28 px each, with bars to the scale of the whole run; loops and paths fold."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QItemSelectionModel, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QListView, QSizePolicy, QWidget

from patchbay.desktop.state.executions_rows import TimelineRow
from patchbay.desktop.state.executions_timeline import row_name
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.executions.timeline_delegate import TimelineDelegate
from patchbay.desktop.ui.kit.delegates import Index
from patchbay.desktop.ui.kit.marks import mark_of
from patchbay.desktop.ui.kit.text import count, duration, plain_tip
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.models import ITEM_ROLE

MAX_VISIBLE_ROWS, MAX_VISIBLE_TREE_ROWS = 7, 10


class TimelineModel(QAbstractListModel):
    """The rows; spoken as "4. Create task, Failure, 2.94 s"."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows: tuple[TimelineRow, ...] = ()

    def set_rows(self, rows: Sequence[TimelineRow]) -> None:
        """Rows of the same execution change in place; others replace all."""
        if rows is self.rows:
            return
        same = [row.key for row in rows] == [row.key for row in self.rows]
        if same and rows:
            self.rows = tuple(rows)
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
        else:
            self.beginResetModel()
            self.rows = tuple(rows)
            self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == ITEM_ROLE:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row_text(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip("\n".join((row_text(row), *row.warnings)))
        return None


def row_text(row: TimelineRow) -> str:
    """All that a row says."""
    name = row_name(row) if row.item is not None else f"{row.step.position}. {row_name(row)}"
    duration_text = duration(row.duration_ms) if row.duration_ms is not None else ""
    fold_text = ("unfolded" if row.open else "folded") if row.folds else ""
    warnings_text = count(len(row.warnings), "warning") if row.warnings else ""
    state = "" if row.state is None and row.note else mark_of(row.state).word
    return ", ".join(
        filter(None, (name, state, duration_text, attempts_text(row), row.note, warnings_text, fold_text))
    )


def attempts_text(row: TimelineRow) -> str:
    """ "2 attempts, waited 4.0 s"; empty for a single attempt."""
    if len(row.attempts) < 2:
        return ""
    waited = f", waited {duration(row.waited_ms)}" if row.waited_ms else ""
    return f"{len(row.attempts)} attempts{waited}"


class Timeline(QListView):
    """The list of steps; the selected one feeds the tabs. Left and Right fold and unfold."""

    step_chosen = Signal(int)
    toggle_requested = Signal(int)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Steps")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._delegate = TimelineDelegate(self, services)
        self.setItemDelegate(self._delegate)
        self._model = TimelineModel(self)
        self.setModel(self._model)
        self.selectionModel().currentChanged.connect(lambda now, _: self.step_chosen.emit(now.row()))
        self.doubleClicked.connect(lambda index: self._request_toggle(index.row()))

    def set_rows(self, rows: Sequence[TimelineRow], selected: int) -> None:
        self.selectionModel().blockSignals(True)
        self._delegate.tree = any(row.folds or row.depth for row in rows)
        self._model.set_rows(rows)
        index = self._model.index(selected, 0)
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.selectionModel().blockSignals(False)
        self.setMaximumHeight(self.sizeHint().height())
        self.setMinimumHeight(theme().px(28) * min(len(rows), 4 if self._delegate.tree else 2))
        self.updateGeometry()
        self.scrollTo(index)
        self.viewport().update()

    def sizeHint(self) -> QSize:
        max_rows = MAX_VISIBLE_TREE_ROWS if self._delegate.tree else MAX_VISIBLE_ROWS
        return QSize(theme().px(300), theme().px(28) * max(1, min(self._model.rowCount(), max_rows)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, key = self.currentIndex().row(), event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and 0 <= row < len(self._model.rows):
            self._fold_or_move(row, unfold=key == Qt.Key.Key_Right)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and self._delegate.is_on_arrow(
            self._model.rows[index.row()], self.visualRect(index), event.position()
        ):
            self._request_toggle(index.row())
        else:
            super().mousePressEvent(event)

    def _fold_or_move(self, at: int, *, unfold: bool) -> None:
        """Right unfolds, then goes in; Left folds, then goes out."""
        row = self._model.rows[at]
        if row.folds and row.open is not unfold:
            self._request_toggle(at)
            return
        if unfold:
            target = at + 1 if row.open else at
        else:
            above = range(at - 1, -1, -1)
            target = next((i for i in above if self._model.rows[i].depth < row.depth), at)
        self.setCurrentIndex(self._model.index(target, 0))

    def _request_toggle(self, row: int) -> None:
        if self._model.rows[row].folds:
            self.toggle_requested.emit(row)
