"""How a row of the Flows list is drawn."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from patchbay.desktop.state.app_store import AppStore
from patchbay.desktop.state.flows_rows import FlowRow
from patchbay.desktop.ui.flows.list_columns import (
    ROW_HEIGHT,
    ColumnLayout,
    RowPart,
    check_rect,
    columns,
    menu_rect,
    switch_rect,
)
from patchbay.desktop.ui.flows.list_model import ROW_ROLE, Index
from patchbay.desktop.ui.flows.list_texts import last_run, next_run
from patchbay.desktop.ui.kit.buttons import paint_box
from patchbay.desktop.ui.kit.charts import paint_sparkline
from patchbay.desktop.ui.kit.choices import paint_check, paint_switch
from patchbay.desktop.ui.kit.delegates import begin_rename, paint_text
from patchbay.desktop.ui.kit.icons import paint_app, paint_icon
from patchbay.desktop.ui.kit.marks import flow_word, mark_of, paint_mark
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import EpochMs
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowStatus

_TONES = {"plain": "text_secondary", "warning": "warning", "accent": "accent_text"}
MAX_ICONS = 3


class FlowDelegate(QStyledItemDelegate):
    """A 52 px row: check box, apps, two lines, switch, runs, last and next run, menu button."""

    renamed = Signal(str, str)

    def __init__(self, apps: AppStore, clock: Callable[[], EpochMs], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._apps, self._clock = apps, clock
        self.hover: tuple[int, RowPart] | None = None
        self.any_selected = False
        self.show_focus = False

    @property
    def now(self) -> EpochMs:
        return self._clock()

    # Renaming in place

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAccessibleName("Name of the flow")
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        shown: Any = option
        px = theme().px
        at = columns(shown.rect.width())
        height = px(30)
        top = shown.rect.center().y() - height // 2
        left = shown.rect.x() + round(at.name) - px(9)
        editor.setGeometry(left, top, round(at.status - at.name), height)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        begin_rename(editor, index.data())

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        row = index.data(ROW_ROLE)
        if isinstance(editor, QLineEdit) and isinstance(row, FlowRow):
            self.renamed.emit(row.id, editor.text())

    # Painting

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(theme().px(400), theme().px(ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, FlowRow):
            return
        shown: Any = option
        rect = QRectF(shown.rect)
        at = columns(rect.width())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        part = self.hover[1] if self.hover and self.hover[0] == index.row() else None
        selected = bool(shown.state & QStyle.StateFlag.State_Selected)
        focused = self.show_focus and bool(shown.state & QStyle.StateFlag.State_HasFocus)
        active = bool(shown.state & QStyle.StateFlag.State_Active)
        self._paint_background(painter, rect, selected=selected, hovered=part is not None, active=active)
        if self.any_selected or part is not None or focused:
            state = Qt.CheckState.Checked if selected else Qt.CheckState.Unchecked
            paint_check(painter, check_rect(rect), state, hover=part is RowPart.CHECK)
        self._paint_app_icons(painter, rect, row)
        self._paint_name(painter, rect, at, row)
        self._paint_status(painter, rect, row, hover=part is RowPart.SWITCH)
        self._paint_runs(painter, rect, at, row)
        if part is not None or focused:
            self._paint_menu(painter, rect, hover=part is RowPart.MENU)
        if focused:
            self._paint_focus(painter, rect)
        painter.restore()

    def _paint_background(
        self, painter: QPainter, rect: QRectF, *, selected: bool, hovered: bool, active: bool
    ) -> None:
        tokens = theme().tokens
        if selected:
            painter.fillRect(rect, tokens.selected if active else tokens.selected_inactive)
        elif hovered:
            painter.fillRect(rect, tokens.hover)
        painter.setPen(QPen(tokens.row_line, 1))
        painter.drawLine(
            QPointF(rect.left(), rect.bottom() - 0.5), QPointF(rect.right(), rect.bottom() - 0.5)
        )

    def _paint_app_icons(self, painter: QPainter, rect: QRectF, row: FlowRow) -> None:
        px = theme().px
        keys = tuple(dict.fromkeys(row.flow.app_keys))
        shown = keys if len(keys) <= MAX_ICONS else keys[: MAX_ICONS - 1]
        x = rect.x() + px(44)
        for key in shown:
            paint_app(painter, QRectF(x, rect.y(), px(16), rect.height()), self._apps.get(key), 16)
            x += px(22)
        if len(keys) > len(shown):
            area = QRectF(x, rect.y(), px(26), rect.height())
            paint_text(painter, area, f"+{len(keys) - len(shown)}", "caption", "text_secondary")
        if not keys:
            paint_icon(painter, QRectF(x, rect.y(), px(16), rect.height()), "circle-dashed", "text_tertiary")

    def _paint_name(self, painter: QPainter, rect: QRectF, at: ColumnLayout, row: FlowRow) -> None:
        px = theme().px
        x, width = rect.x() + at.name, at.status - at.name - px(16)
        first, second = _line_rects(rect, x, width)
        paint_text(painter, first, row.flow.name, "medium")
        for number, piece in enumerate(row.pieces):
            if number:
                x += paint_text(
                    painter,
                    QRectF(x, second.y(), px(20), second.height()),
                    " · ",
                    "caption",
                    "text_secondary",
                )
            piece_rect = QRectF(x, second.y(), max(0.0, second.right() - x), second.height())
            role = "caption" if piece.tone == "plain" else "caption_medium"
            x += _paint_piece(painter, piece_rect, piece.text, role, _TONES[piece.tone])

    def _paint_status(self, painter: QPainter, rect: QRectF, row: FlowRow, *, hover: bool) -> None:
        px = theme().px
        box = switch_rect(rect)
        paint_switch(painter, box, float(row.flow.active), enabled=not row.busy, hover=hover)
        label, _ = flow_word(row.flow.status)
        if row.busy:
            label = "Stopping…" if row.flow.active else "Publishing…"
        area = QRectF(box.right() + px(8), rect.y(), px(82), rect.height())
        paused = row.flow.status is FlowStatus.PAUSED and not row.busy
        paint_text(
            painter, area, label, "medium" if paused else "body", "warning" if paused else "text_secondary"
        )

    def _paint_runs(self, painter: QPainter, rect: QRectF, at: ColumnLayout, row: FlowRow) -> None:
        px = theme().px
        marks = row.activity.recent if row.activity else ()
        if at.runs is not None:
            area = QRectF(rect.x() + at.runs, rect.center().y() - px(16), px(120), px(32))
            paint_sparkline(painter, area, marks)
        self._paint_last_run(painter, rect, at, row)
        first, second = _line_rects(rect, rect.x() + at.next, at.end - at.next)
        label, detail = next_run(row, self._clock())
        if detail:
            paint_text(painter, first, label)
            paint_text(painter, second, detail, "caption", "text_secondary")
        else:
            area = QRectF(first.x(), rect.y(), first.width(), rect.height())
            paint_text(painter, area, label, "body", "text_tertiary")

    def _paint_last_run(self, painter: QPainter, rect: QRectF, at: ColumnLayout, row: FlowRow) -> None:
        px = theme().px
        if row.activity is None:
            return
        run = row.activity.last
        mark = mark_of(run.state if run else None)
        x = rect.x() + at.last
        first, second = _line_rects(rect, x + px(22), at.next - at.last - px(24))
        colour = theme().color(mark.token)
        paint_mark(
            painter, QRectF(x, first.y(), px(16), first.height()), mark.icon, colour, theme().tokens.surface
        )
        label, detail = last_run(row, self._clock())
        is_neutral = run is None or run.state in (ExecutionState.WAITING, ExecutionState.FILTERED)
        paint_text(painter, first, label, "medium", "text_secondary" if is_neutral else mark.token)
        paint_text(painter, second, detail, "caption", "text_secondary")

    def _paint_menu(self, painter: QPainter, rect: QRectF, *, hover: bool) -> None:
        box = menu_rect(rect)
        if hover:
            paint_box(painter, box, theme().tokens.pressed, None)
        paint_icon(painter, box, "ellipsis")

    def _paint_focus(self, painter: QPainter, rect: QRectF) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme().tokens.focus, theme().px(2)))
        painter.drawRect(rect.adjusted(1, 1, -1, -2))


def _line_rects(rect: QRectF, x: float, width: float) -> tuple[QRectF, QRectF]:
    """The two lines of a row, 18 and 16 px high."""
    px = theme().px
    top = rect.y() + px(10)
    return QRectF(x, top, width, px(18)), QRectF(x, top + px(18), width, px(16))


def _paint_piece(painter: QPainter, piece_rect: QRectF, text: str, role: str, color: str) -> float:
    if role == "caption":
        return paint_text(painter, piece_rect, text, role, color)
    font = theme().font("caption")
    font.setWeight(theme().font("medium").weight())
    painter.setFont(font)
    painter.setPen(theme().color(color))
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(piece_rect.width()))
    painter.drawText(piece_rect, int(Qt.AlignmentFlag.AlignVCenter), shown)
    return float(painter.fontMetrics().horizontalAdvance(shown))
