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
    Columns,
    Part,
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
ICONS_SHOWN = 3


class FlowDelegate(QStyledItemDelegate):
    """A 52 px row: check box, apps, two lines, switch, runs, last and next run, menu button."""

    renamed = Signal(str, str)

    def __init__(self, apps: AppStore, clock: Callable[[], EpochMs], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._apps, self._clock = apps, clock
        self.hover: tuple[int, Part] | None = None
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
        self._background(painter, rect, selected=selected, hovered=part is not None, active=active)
        if self.any_selected or part is not None or focused:
            state = Qt.CheckState.Checked if selected else Qt.CheckState.Unchecked
            paint_check(painter, check_rect(rect), state, hover=part is Part.CHECK)
        self._apps_of(painter, rect, row)
        self._name(painter, rect, at, row)
        self._status(painter, rect, row, hover=part is Part.SWITCH)
        self._runs(painter, rect, at, row)
        if part is not None or focused:
            self._menu(painter, rect, hover=part is Part.MENU)
        if focused:
            self._focus(painter, rect)
        painter.restore()

    def _background(
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

    def _apps_of(self, painter: QPainter, rect: QRectF, row: FlowRow) -> None:
        px = theme().px
        keys = tuple(dict.fromkeys(row.flow.app_keys))
        shown = keys if len(keys) <= ICONS_SHOWN else keys[: ICONS_SHOWN - 1]
        x = rect.x() + px(44)
        for key in shown:
            paint_app(painter, QRectF(x, rect.y(), px(16), rect.height()), self._apps.get(key), 16)
            x += px(22)
        if len(keys) > len(shown):
            area = QRectF(x, rect.y(), px(26), rect.height())
            paint_text(painter, area, f"+{len(keys) - len(shown)}", "caption", "text_secondary")
        if not keys:
            paint_icon(painter, QRectF(x, rect.y(), px(16), rect.height()), "circle-dashed", "text_tertiary")

    def _name(self, painter: QPainter, rect: QRectF, at: Columns, row: FlowRow) -> None:
        px = theme().px
        x, width = rect.x() + at.name, at.status - at.name - px(16)
        first, second = _lines(rect, x, width)
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
            room = QRectF(x, second.y(), max(0.0, second.right() - x), second.height())
            role = "caption" if piece.tone == "plain" else "caption_medium"
            x += _piece(painter, room, piece.text, role, _TONES[piece.tone])

    def _status(self, painter: QPainter, rect: QRectF, row: FlowRow, *, hover: bool) -> None:
        px = theme().px
        box = switch_rect(rect)
        paint_switch(painter, box, float(row.flow.active), enabled=not row.busy, hover=hover)
        word, _ = flow_word(row.flow.status)
        if row.busy:
            word = "Stopping…" if row.flow.active else "Publishing…"
        area = QRectF(box.right() + px(8), rect.y(), px(82), rect.height())
        paused = row.flow.status is FlowStatus.PAUSED and not row.busy
        paint_text(
            painter, area, word, "medium" if paused else "body", "warning" if paused else "text_secondary"
        )

    def _runs(self, painter: QPainter, rect: QRectF, at: Columns, row: FlowRow) -> None:
        px = theme().px
        marks = row.activity.recent if row.activity else ()
        if at.runs is not None:
            area = QRectF(rect.x() + at.runs, rect.center().y() - px(16), px(120), px(32))
            paint_sparkline(painter, area, marks)
        self._last(painter, rect, at, row)
        first, second = _lines(rect, rect.x() + at.next, at.end - at.next)
        word, detail = next_run(row, self._clock())
        if detail:
            paint_text(painter, first, word)
            paint_text(painter, second, detail, "caption", "text_secondary")
        else:
            area = QRectF(first.x(), rect.y(), first.width(), rect.height())
            paint_text(painter, area, word, "body", "text_tertiary")

    def _last(self, painter: QPainter, rect: QRectF, at: Columns, row: FlowRow) -> None:
        px = theme().px
        if row.activity is None:
            return
        run = row.activity.last
        mark = mark_of(run.state if run else None)
        x = rect.x() + at.last
        first, second = _lines(rect, x + px(22), at.next - at.last - px(24))
        colour = theme().color(mark.token)
        paint_mark(
            painter, QRectF(x, first.y(), px(16), first.height()), mark.icon, colour, theme().tokens.surface
        )
        word, detail = last_run(row, self._clock())
        quiet = run is None or run.state in (ExecutionState.WAITING, ExecutionState.FILTERED)
        paint_text(painter, first, word, "medium", "text_secondary" if quiet else mark.token)
        paint_text(painter, second, detail, "caption", "text_secondary")

    def _menu(self, painter: QPainter, rect: QRectF, *, hover: bool) -> None:
        box = menu_rect(rect)
        if hover:
            paint_box(painter, box, theme().tokens.pressed, None)
        paint_icon(painter, box, "ellipsis")

    def _focus(self, painter: QPainter, rect: QRectF) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme().tokens.focus, theme().px(2)))
        painter.drawRect(rect.adjusted(1, 1, -1, -2))


def _lines(rect: QRectF, x: float, width: float) -> tuple[QRectF, QRectF]:
    """The two lines of a row, 18 and 16 px high."""
    px = theme().px
    top = rect.y() + px(10)
    return QRectF(x, top, width, px(18)), QRectF(x, top + px(18), width, px(16))


def _piece(painter: QPainter, room: QRectF, text: str, role: str, color: str) -> float:
    if role == "caption":
        return paint_text(painter, room, text, role, color)
    font = theme().font("caption")
    font.setWeight(theme().font("medium").weight())
    painter.setFont(font)
    painter.setPen(theme().color(color))
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(room.width()))
    painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), shown)
    return float(painter.fontMetrics().horizontalAdvance(shown))
