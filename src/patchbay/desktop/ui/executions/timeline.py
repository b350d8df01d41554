"""The steps of an execution as rows of 28 px with bars to the scale of the whole run."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QItemSelectionModel, QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QListView, QSizePolicy, QStyleOptionViewItem, QWidget

from patchbay.desktop.state.executions_timeline import TimelineRow, step_name
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.kit.buttons import paint_box
from patchbay.desktop.ui.kit.chips import paint_tag, tag_width
from patchbay.desktop.ui.kit.delegates import Index, RowDelegate, elided, paint_row_background, paint_text
from patchbay.desktop.ui.kit.icons import paint_app
from patchbay.desktop.ui.kit.marks import mark_of, paint_state_mark
from patchbay.desktop.ui.kit.text import duration
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.models import ITEM_ROLE
from patchbay.desktop.ui.models.row_parts import stay_active

ROWS_SHOWN = 7


class TimelineModel(QAbstractListModel):
    """The rows; spoken as "4. Create task, Failure, 2.94 s"."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: tuple[TimelineRow, ...] = ()

    def set_rows(self, rows: Sequence[TimelineRow]) -> None:
        """Rows of the same execution change in place; others replace all."""
        same = [row.step.id for row in rows] == [row.step.id for row in self._rows]
        if same and rows:
            self._rows = tuple(rows)
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
        else:
            self.beginResetModel()
            self._rows = tuple(rows)
            self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == ITEM_ROLE:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return words(index.row() + 1, row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return words(index.row() + 1, row)
        return None


def words(number: int, row: TimelineRow) -> str:
    tries = f", {len(row.attempts)} attempts" if len(row.attempts) > 1 else ""
    spent = f", {duration(row.duration_ms, 2)}" if row.duration_ms is not None else ""
    return f"{number}. {step_name(row.step)}, {mark_of(row.state).word}{spent}{tries}"


class TimelineDelegate(RowDelegate):
    """Mark, app, name, bar, time."""

    def __init__(self, parent: QWidget, services: Services) -> None:
        super().__init__(parent, height=28)
        self._services = services

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        stay_active(option)
        paint_row_background(painter, option, first=False, rule=False)
        row: TimelineRow = index.data(ITEM_ROLE)
        px = theme().px
        area = QRectF(option.rect).adjusted(px(16), 0, -px(16), 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_state_mark(painter, QRectF(area.x(), area.y(), px(16), area.height()), row.state)
        app = self._services.apps.get(row.step.app_key)
        paint_app(painter, QRectF(area.x() + px(24), area.y(), px(16), area.height()), app)
        bar = px(102 if area.width() >= px(360) else 64)
        self._name(painter, area.adjusted(px(48), 0, -bar - px(64), 0), row)
        self._bar(painter, QRectF(area.right() - px(56) - bar, area.center().y() - px(4), bar, px(8)), row)
        spent = "not run" if row.state is None else duration(row.duration_ms, 2)
        right = Qt.AlignmentFlag.AlignRight
        paint_text(painter, area, spent, "caption", "text_secondary", right)
        painter.restore()

    @staticmethod
    def _name(painter: QPainter, area: QRectF, row: TimelineRow) -> None:
        tries = f"{len(row.attempts)} attempts" if len(row.attempts) > 1 else ""
        room = tag_width(tries) + theme().px(6) if tries else 0
        shown = elided(step_name(row.step), "body", area.width() - room)
        used = paint_text(painter, area, shown, color="text" if row.state else "text_secondary")
        if tries:
            height = theme().px(18)
            left = area.x() + used + theme().px(6)
            paint_tag(painter, QRectF(left, area.center().y() - height / 2, tag_width(tries), height), tries)

    @staticmethod
    def _bar(painter: QPainter, area: QRectF, row: TimelineRow) -> None:
        if row.state is None:
            return
        paint_box(painter, area, theme().tokens.selected_inactive, None, radius=1)
        width = max(theme().px(3), round(area.width() * row.length))
        left = min(area.x() + round(area.width() * row.start), area.right() - width)
        colour = theme().color(mark_of(row.state).graphic)
        paint_box(painter, QRectF(left, area.y(), width, area.height()), colour, None, radius=1)


class Timeline(QListView):
    """The list of steps; the selected one feeds the tabs."""

    step_chosen = Signal(int)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Steps")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(TimelineDelegate(self, services))
        self._model = TimelineModel(self)
        self.setModel(self._model)
        self.selectionModel().currentChanged.connect(lambda now, _: self.step_chosen.emit(now.row()))

    def set_rows(self, rows: Sequence[TimelineRow], selected: int) -> None:
        self.selectionModel().blockSignals(True)
        self._model.set_rows(rows)
        index = self._model.index(selected, 0)
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.selectionModel().blockSignals(False)
        self.setMaximumHeight(self.sizeHint().height())
        self.setMinimumHeight(theme().px(28) * min(len(rows), 2))
        self.updateGeometry()
        self.scrollTo(index)
        self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(300), theme().px(28) * max(1, min(self._model.rowCount(), ROWS_SHOWN)))
