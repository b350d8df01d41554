"""Rows of the Flows list: texts, item model, geometry, and painting."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QByteArray,
    QMimeData,
    QModelIndex,
    QObject,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from patchbay.desktop.core.app_store import AppStore
from patchbay.desktop.core.execution_labels import execution_label, shown_state
from patchbay.desktop.core.language import tr
from patchbay.desktop.core.times import ago, duration
from patchbay.desktop.flows.view_models.flow_list import FlowRow, FlowSort
from patchbay.desktop.kit.buttons import paint_box
from patchbay.desktop.kit.charts import paint_sparkline
from patchbay.desktop.kit.icons import paint_app, paint_icon
from patchbay.desktop.kit.item_views import ITEM_ROLE, Index, begin_rename
from patchbay.desktop.kit.mark_painting import paint_mark
from patchbay.desktop.kit.marks import flow_status_label, mark_of
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.rows_model import RowsModel
from patchbay.desktop.kit.text import clock_time, full_time, when
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.kit.toggles import paint_check, paint_switch
from patchbay.domain.base import EpochMs, FlowId
from patchbay.domain.clock import DAY_MS, MINUTE_MS
from patchbay.domain.executions import Execution, ExecutionState
from patchbay.domain.flow_calls import CALLED_TRIGGER, FLOW_FAILED_TRIGGER, is_event
from patchbay.domain.flows import FlowStatus

_STATUS_WORDS = {
    FlowStatus.DRAFT: tr("draft", "state of a flow"),
    FlowStatus.PUBLISHED: tr("published", "state of a flow"),
    FlowStatus.PAUSED: tr("paused", "state of a flow"),
}


def last_run(row: FlowRow, now: EpochMs) -> tuple[str, str]:
    """Return the state of the latest run and its time or progress; dashes while unknown."""
    if row.activity is None:
        return "–", ""
    run = row.activity.last
    if run is None:
        return tr("Not run"), tr("No runs yet")
    return execution_label(run), _run_detail_text(run, now)


def _run_detail_text(run: Execution, now: EpochMs) -> str:
    if run.state is ExecutionState.RUNNING and run.steps_done is not None:
        step = min(run.steps_done + 1, run.steps_total)
        return tr("step {n} of {total}", n=step, total=run.steps_total)
    if run.state is ExecutionState.WAITING and run.wake_at:
        return tr("until {time}", time=when(run.wake_at, now))
    if now - run.created_at >= DAY_MS:
        return when(run.created_at, now)
    return ago(run.created_at, now)


def next_run(row: FlowRow, now: EpochMs) -> tuple[str, str]:
    """Return the time of the next start and how far away it is."""
    if not row.flow.active:
        return "–", ""
    if row.flow.status is FlowStatus.PAUSED:
        return tr("When resumed"), ""
    if row.activity is not None and row.activity.starts_on_event:
        if row.attention:
            return "–", ""  # it may not start at all; the row says why
        return tr("When it happens"), tr("on the desktop", "below: When it happens")
    start_at = row.activity.next_run_at if row.activity else None
    if start_at is None or row.starts_by_webhook:
        return _started_by(row)
    start_text = clock_time(start_at) if start_at - now < DAY_MS else when(start_at, now)
    return start_text, until(start_at, now)


def _started_by(row: FlowRow) -> tuple[str, str]:
    """Return what starts a flow that has no schedule."""
    trigger = row.flow.trigger
    if trigger is not None and is_event(trigger, CALLED_TRIGGER):
        return tr("When called"), tr("by another flow", "below: When called")
    if trigger is not None and is_event(trigger, FLOW_FAILED_TRIGGER):
        return tr("On failure"), tr("of another flow", "below: On failure")
    if row.starts_by_webhook:
        return tr("On webhook"), tr("on each request", "below: On webhook")
    return "–", ""


def until(start_at: EpochMs, now: EpochMs) -> str:
    """The time until a flow starts, such as “in 5 min”."""
    remaining_ms = start_at - now
    if remaining_ms < MINUTE_MS:
        return tr("in a moment")
    return tr("in {duration}", duration=duration(remaining_ms))


def accessible_text(row: FlowRow, now: EpochMs) -> str:
    """Return the text of the row for screen readers."""
    state, detail = last_run(row, now)
    next_run_text = " ".join(part for part in next_run(row, now) if part not in ("", "–"))
    parts = [row.flow.name, ", ".join(piece.text for piece in row.pieces)]
    last_run_text = tr("last run {state}, {detail}", state=state, detail=detail)
    parts += [_STATUS_WORDS[row.flow.status], last_run_text]
    return ". ".join(parts + ([tr("next run {time}", time=next_run_text)] if next_run_text else []))


def run_tooltip(row: FlowRow, now: EpochMs) -> str:
    """Return the tooltip: why the flow can't work, and state, time, and note of the latest run."""
    if row.activity is None:
        return ""
    activity = row.activity
    lines = [activity.attention_sentence, activity.attention_todo] if activity.attention else []
    if (run := activity.last) is None:
        lines.append(tr("This flow hasn't run yet"))
    else:
        lines += [f"{execution_label(run)}, {full_time(run.created_at, now)}", run.note or ""]
    return "\n".join(filter(None, lines))


# Item model

FLOW_MIME = "application/x-patchbay-flows"


class FlowListModel(RowsModel[FlowRow]):
    """The item model of the Flows list."""

    def __init__(self, clock: Callable[[], EpochMs], parent: QObject | None = None) -> None:
        super().__init__(parent, key=lambda row: row.id)
        self._clock = clock

    def row_of(self, flow_id: FlowId | None) -> int:
        """The row of a flow; -1 if it isn't shown."""
        return self.find_row(lambda row: row.id == flow_id)

    def value(self, row: FlowRow, role: int) -> Any:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return row.flow.name
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
        return flow_mime(tuple(row.id for index in indexes if (row := self.row(index))))


def flow_mime(flow_ids: tuple[FlowId, ...]) -> QMimeData:
    """The flows as data to drag to a folder."""
    data = QMimeData()
    data.setData(FLOW_MIME, QByteArray(json.dumps(flow_ids).encode()))
    return data


def dragged_flows(data: QMimeData) -> tuple[FlowId, ...]:
    """Return the IDs of the dragged flows; empty if something else is dragged."""
    if not data.hasFormat(FLOW_MIME):
        return ()
    return tuple(json.loads(bytes(data.data(FLOW_MIME).data()).decode()))


# Geometry

ROW_HEIGHT = 52
RUNS_MIN_WIDTH = 884
"""List width in px (at a 13 px body font) from which the last 20 runs are shown."""


class RowPart(StrEnum):
    """Parts of a row that react to the pointer."""

    CHECK = "check"
    SWITCH = "switch"
    MENU = "menu"
    BODY = "body"


@dataclass(frozen=True)
class ColumnLayout:
    """Left edges of the columns for one width of the list."""

    width: float
    name: float
    status: float
    runs: float | None
    last: float
    next: float

    @property
    def end(self) -> float:
        """The right edge of the last column, in pixels."""
        return self.width - theme().px(52)


def columns(width: float) -> ColumnLayout:
    """The positions of the columns in a list of this width."""
    px = theme().px
    has_runs = width >= px(RUNS_MIN_WIDTH)
    next_left = width - px(160)
    last = next_left - px(146)
    runs = last - px(140) if has_runs else None
    status = (runs if runs is not None else last) - _status_width()
    return ColumnLayout(width, px(122), status, runs, last, next_left)


STOPPING, PUBLISHING = tr("Stopping…"), tr("Publishing…")


def _status_width() -> int:
    metrics, px = QFontMetricsF(theme().font("medium")), theme().px
    labels = [*(flow_status_label(status)[0] for status in FlowStatus), STOPPING, PUBLISHING]
    return max(px(130), px(32 + 8 + 12) + round(max(map(metrics.horizontalAdvance, labels))))


@dataclass(frozen=True)
class HeaderCell:
    """One header cell. With `sort` None the list can't be sorted by this column."""

    label: str
    left: float
    right: float
    sort: FlowSort | None


def header_cells(width: float) -> tuple[HeaderCell, ...]:
    """The cells of the header in a list of this width."""
    at = columns(width)
    cells = [
        HeaderCell(tr("Flow"), at.name, at.status, FlowSort.NAME),
        HeaderCell(tr("Status"), at.status, at.runs or at.last, FlowSort.STATUS),
        HeaderCell(tr("Last run"), at.last, at.next, FlowSort.LAST_RUN),
        HeaderCell(tr("Next run"), at.next, at.width, FlowSort.NEXT_RUN),
    ]
    if at.runs is not None:
        cells.insert(2, HeaderCell(tr("Last 20 runs"), at.runs, at.last, None))
    return tuple(cells)


def check_rect(row: QRectF) -> QRectF:
    """The area of the checkbox within a row."""
    px = theme().px
    return QRectF(row.x() + px(16), row.center().y() - px(8), px(16), px(16))


def switch_rect(row: QRectF) -> QRectF:
    """The area of the switch within a row."""
    px = theme().px
    return QRectF(row.x() + columns(row.width()).status, row.center().y() - px(9), px(32), px(18))


def menu_rect(row: QRectF) -> QRectF:
    """The area of the menu button within a row."""
    px = theme().px
    return QRectF(row.right() - px(42), row.center().y() - px(13), px(28), px(26))


def part_at(row: QRectF, at: QPointF) -> RowPart:
    """Return the part of a row at a point; hit areas of small parts are larger than they look."""
    margin = theme().px(6)
    for part, rect in (
        (RowPart.CHECK, check_rect(row)),
        (RowPart.SWITCH, switch_rect(row)),
        (RowPart.MENU, menu_rect(row)),
    ):
        if rect.adjusted(-margin, -margin, margin, margin).contains(at):
            return part
    return RowPart.BODY


# Painting

_TONES = {"plain": "text_secondary", "warning": "warning", "accent": "accent_text"}
MAX_ICONS = 3


class FlowDelegate(QStyledItemDelegate):
    """Paints a 52 px row: check box, apps, name and details, switch, runs, menu button."""

    renamed = Signal(str, str)

    def __init__(self, apps: AppStore, clock: Callable[[], EpochMs], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._apps, self._clock = apps, clock
        self.hover: tuple[int, RowPart] | None = None
        self.any_selected = False
        self.show_focus = False

    @property
    def now(self) -> EpochMs:
        """The current time in milliseconds."""
        return self._clock()

    # Renaming in place

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAccessibleName(tr("Flow name"))
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
        row = index.data(ITEM_ROLE)
        if isinstance(editor, QLineEdit) and isinstance(row, FlowRow):
            self.renamed.emit(row.id, editor.text())

    # Painting

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(theme().px(400), theme().px(ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ITEM_ROLE)
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
        label, _ = flow_status_label(row.flow.status)
        if row.busy:
            label = STOPPING if row.flow.active else PUBLISHING
        area = QRectF(box.right() + px(8), rect.y(), _status_width() - px(32 + 8 + 8), rect.height())
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
        mark = mark_of(shown_state(run) if run else None)
        x = rect.x() + at.last
        first, second = _line_rects(rect, x + px(22), at.next - at.last - px(24))
        colour = theme().color(mark.token)
        paint_mark(
            painter, QRectF(x, first.y(), px(16), first.height()), mark.icon, colour, theme().tokens.surface
        )
        label, detail = last_run(row, self._clock())
        is_neutral = run is None or shown_state(run) in (ExecutionState.WAITING, ExecutionState.FILTERED)
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
    """Return the two text lines of a row, 18 and 16 px high."""
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
