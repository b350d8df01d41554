"""The step timeline of an execution: rows with bars to scale; loops and branches fold."""

from collections.abc import Iterable, Sequence
from typing import Any

from PySide6.QtCore import (
    QItemSelectionModel,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QFrame, QListView, QSizePolicy, QStyleOptionViewItem, QWidget

from patchbay.desktop.core.execution_labels import TimelineRow, row_name
from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.times import duration
from patchbay.desktop.kit.badges import paint_tag, tag_width
from patchbay.desktop.kit.buttons import paint_box
from patchbay.desktop.kit.icons import paint_app, paint_icon
from patchbay.desktop.kit.item_views import (
    ITEM_ROLE,
    Index,
    RowDelegate,
    force_active_state,
    paint_row_background,
)
from patchbay.desktop.kit.mark_painting import paint_mark
from patchbay.desktop.kit.marks import mark_of, paint_state_mark
from patchbay.desktop.kit.row_text import elided, paint_text
from patchbay.desktop.kit.rows_model import RowsModel
from patchbay.desktop.kit.shortcuts import FOLD
from patchbay.desktop.kit.text import plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.domain.base import Json
from patchbay.domain.flows import StructuralType

ARROW = 16
INDENT = 14
MAX_INDENT_DEPTH = 6
_MIN_DURATION_WIDTH, _MAX_DURATION_WIDTH = 56, 130
MAX_HINT_LENGTH = 60
_ICONS = {StructuralType.PATHS: "split", StructuralType.EACH: "repeat"}
_NAME_KEYS = ("name", "title", "subject", "email", "label", "key", "id", "number")
"""Object keys that best identify an item, in order."""


class TimelineDelegate(RowDelegate):
    """Paints 28 px rows. `tree` reserves room for fold arrows."""

    def __init__(self, parent: QWidget, services: Services) -> None:
        super().__init__(parent, height=28)
        self._services = services
        self.tree = False
        self.duration_width = theme().px(_MIN_DURATION_WIDTH)

    def measure_durations(self, rows: Iterable[TimelineRow]) -> None:
        """Reserve room for the longest duration, so that it isn't painted over the bars."""
        longest = max(map(_duration_text, rows), key=len, default="")
        metrics, px = QFontMetricsF(theme().font("caption")), theme().px
        needed = min(round(metrics.horizontalAdvance(longest)) + px(8), px(_MAX_DURATION_WIDTH))
        self.duration_width = max(px(_MIN_DURATION_WIDTH), needed)

    def is_on_arrow(self, row: TimelineRow, rect: QRect, at: QPointF) -> bool:
        """Whether a point is on or before the fold arrow of a row."""
        return row.folds and at.x() < rect.x() + theme().px(self._left_edge(row) + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        force_active_state(option)
        paint_row_background(painter, option, first=False, rule=False)
        row: TimelineRow = index.data(ITEM_ROLE)
        px = theme().px
        row_rect = QRectF(option.rect)
        area = row_rect.adjusted(px(self._left_edge(row)), 0, -px(16), 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.folds:
            arrow = QRectF(area.x() - px(ARROW), area.y(), px(12), area.height())
            paint_icon(painter, arrow, "chevron-down" if row.open else "chevron-right", size=12)
        paint_state_mark(painter, QRectF(area.x(), area.y(), px(16), area.height()), row.state)
        left = px(24) + self._paint_icon(painter, area, row)
        bar = px(102 if row_rect.width() >= px(392) else 34 if self.tree else 64)
        self._paint_name(painter, area.adjusted(left, 0, -bar - self.duration_width - px(8), 0), row)
        bar_left = area.right() - self.duration_width - bar
        self._paint_bar(painter, QRectF(bar_left, area.center().y() - px(4), bar, px(8)), row)
        text, right = _duration_text(row), Qt.AlignmentFlag.AlignRight
        text_area = QRectF(area.right() - self.duration_width + px(6), area.y(), 0, area.height())
        text_area.setRight(area.right())
        paint_text(painter, text_area, text, "caption", "text_secondary", right)
        painter.restore()

    def _left_edge(self, row: TimelineRow) -> int:
        return 16 + (ARROW if self.tree else 0) + INDENT * min(row.depth, MAX_INDENT_DEPTH)

    def _paint_icon(self, painter: QPainter, area: QRectF, row: TimelineRow) -> int:
        """Paint the icon of the app, branch, or loop; return its width."""
        px, kind = theme().px, row.step.structural_type
        if row.item is not None or kind is StructuralType.BRANCH:
            return 0
        icon_rect = QRectF(area.x() + px(24), area.y(), px(16), area.height())
        if kind in _ICONS:
            paint_icon(painter, icon_rect, _ICONS[kind])
        else:
            paint_app(painter, icon_rect, self._services.apps.get(row.step.app_key))
        return px(24)

    def _paint_name(self, painter: QPainter, area: QRectF, row: TimelineRow) -> None:
        px, tag = theme().px, self._attempts_tag(row, area.width())
        after = (tag_width(tag) + px(6) if tag else 0) + (px(20) if row.warnings else 0)
        shown = elided(row_name(row), "body", area.width() - after)
        used = paint_text(painter, area, shown, color="text" if row.state else "text_secondary")
        area = area.adjusted(used + px(6), 0, 0, 0)
        if tag:
            height = px(18)
            icon_rect = QRectF(area.x(), area.center().y() - height / 2, tag_width(tag), height)
            paint_tag(painter, icon_rect, tag)
            area.setLeft(area.x() + tag_width(tag) + px(6))
        if row.warnings:
            mark = QRectF(area.x(), area.y(), px(14), area.height())
            paint_mark(painter, mark, "triangle-alert", theme().color("warning"), theme().tokens.surface, 13)
            area.setLeft(area.x() + px(20))
        side_text = item_hint(row.value) if row.item is not None else row.note if row.state else ""
        if side_text and area.width() > px(24):
            paint_text(painter, area, side_text, "caption", "text_tertiary")

    @staticmethod
    def _attempts_tag(row: TimelineRow, available_width: float) -> str:
        if len(row.attempts) < 2:
            return ""
        long = attempts_text(row)
        is_long_fitting = row.waited_ms and tag_width(long) < available_width * 0.6
        return long if is_long_fitting else _attempts_count(row)

    @staticmethod
    def _paint_bar(painter: QPainter, area: QRectF, row: TimelineRow) -> None:
        if row.state is None:
            return
        paint_box(painter, area, theme().tokens.selected_inactive, None, radius=1)
        width = max(theme().px(3), round(area.width() * row.length))
        left = min(area.x() + round(area.width() * row.start), area.right() - width)
        colour = theme().color(mark_of(row.state).graphic)
        paint_box(painter, QRectF(left, area.y(), width, area.height()), colour, None, radius=1)


def _duration_text(row: TimelineRow) -> str:
    return duration(row.duration_ms, parts=2, exact=True) if row.state else row.note or tr("not run")


def item_hint(value: Json) -> str:
    """Return a short description of a loop item."""
    if isinstance(value, dict):
        value = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str | int)), value)
    if isinstance(value, dict):
        return tr_count(len(value), "{n} value", "{n} values")
    if isinstance(value, list):
        return tr_count(len(value), "{n} entry", "{n} entries")
    return "" if value is None else str(value)[:MAX_HINT_LENGTH]


# View

MAX_VISIBLE_ROWS, MAX_VISIBLE_TREE_ROWS = 7, 10


class TimelineModel(RowsModel[TimelineRow]):
    """The item model; accessible text is "4. Create task, Failure, 2.94 s"."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, key=lambda row: row.key)

    def differs(self, old: TimelineRow, new: TimelineRow) -> bool:
        return old is not new  # comparing the data of steps could take long

    def value(self, row: TimelineRow, role: int) -> Any:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row_text(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip("\n".join((row_text(row), *row.warnings)))
        return None


def row_text(row: TimelineRow) -> str:
    """Return the accessible text of a row."""
    name = row_name(row) if row.item is not None else f"{row.step.position}. {row_name(row)}"
    duration_text = duration(row.duration_ms, parts=2, exact=True) if row.duration_ms is not None else ""
    fold_text = (tr("unfolded") if row.open else tr("folded")) if row.folds else ""
    warnings_text = tr_count(len(row.warnings), "{n} warning", "{n} warnings") if row.warnings else ""
    state = "" if row.state is None and row.note else mark_of(row.state).word
    return ", ".join(
        filter(None, (name, state, duration_text, attempts_text(row), row.note, warnings_text, fold_text))
    )


def attempts_text(row: TimelineRow) -> str:
    """Return "2 attempts, waited 4.0 s"; empty for a single attempt."""
    if len(row.attempts) < 2:
        return ""
    if not row.waited_ms:
        return _attempts_count(row)
    return tr_count(
        len(row.attempts),
        "{n} attempt, waited {time}",
        "{n} attempts, waited {time}",
        time=duration(row.waited_ms, parts=2, exact=True),
    )


def _attempts_count(row: TimelineRow) -> str:
    return tr_count(len(row.attempts), "{n} attempt", "{n} attempts")


class Timeline(QListView):
    """The list of steps; the selected one fills the data tabs. Left and Right fold and unfold."""

    step_chosen = Signal(int)
    toggle_requested = Signal(int)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Steps"))
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
        """Show the steps of an execution, one of them selected."""
        self.selectionModel().blockSignals(True)
        self._delegate.tree = any(row.folds or row.depth for row in rows)
        self._delegate.measure_durations(rows)
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
        row, fold = self.currentIndex().row(), FOLD.position(event)
        if fold >= 0 and 0 <= row < len(self._model.rows):
            self._fold_or_move(row, unfold=fold == 1)
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
        """Unfold or enter on Right, fold or leave on Left."""
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
