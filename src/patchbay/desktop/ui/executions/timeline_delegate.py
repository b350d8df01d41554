"""Paints a row of the timeline: mark, app, name, bar, time; in a tree with an arrow before what folds."""

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from patchbay.desktop.state.executions_rows import TimelineRow
from patchbay.desktop.state.executions_timeline import row_name
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.kit.buttons import paint_box
from patchbay.desktop.ui.kit.chips import paint_tag, tag_width
from patchbay.desktop.ui.kit.delegates import Index, RowDelegate, elided, paint_row_background, paint_text
from patchbay.desktop.ui.kit.icons import paint_app, paint_icon
from patchbay.desktop.ui.kit.marks import mark_of, paint_mark, paint_state_mark
from patchbay.desktop.ui.kit.text import count, duration
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.models import ITEM_ROLE
from patchbay.desktop.ui.models.row_parts import stay_active
from patchbay.domain.base import Json
from patchbay.domain.flows import StructuralType

ARROW, INDENT, MAX_INDENT_DEPTH = 16, 14, 6
MAX_HINT_LENGTH = 60
_ICONS = {StructuralType.PATHS: "split", StructuralType.EACH: "repeat"}
_NAME_KEYS = ("name", "title", "subject", "email", "label", "key", "id", "number")
"""Keys of an object that tell best what it is."""


class TimelineDelegate(RowDelegate):
    """Rows of 28 px. `tree` makes room for arrows."""

    def __init__(self, parent: QWidget, services: Services) -> None:
        super().__init__(parent, height=28)
        self._services = services
        self.tree = False

    def is_on_arrow(self, row: TimelineRow, rect: QRect, at: QPointF) -> bool:
        """Whether a point is on the arrow of a row, or before it."""
        return row.folds and at.x() < rect.x() + theme().px(self._left_edge(row) + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        stay_active(option)
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
        self._paint_name(painter, area.adjusted(left, 0, -bar - px(64), 0), row)
        self._paint_bar(
            painter, QRectF(area.right() - px(56) - bar, area.center().y() - px(4), bar, px(8)), row
        )
        duration_text = duration(row.duration_ms) if row.state else row.note or "not run"
        paint_text(painter, area, duration_text, "caption", "text_secondary", Qt.AlignmentFlag.AlignRight)
        painter.restore()

    def _left_edge(self, row: TimelineRow) -> int:
        return 16 + (ARROW if self.tree else 0) + INDENT * min(row.depth, MAX_INDENT_DEPTH)

    def _paint_icon(self, painter: QPainter, area: QRectF, row: TimelineRow) -> int:
        """The app, or what holds steps; the room it took."""
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
        short = f"{len(row.attempts)} attempts"
        long = f"{short}, waited {duration(row.waited_ms)}"
        is_long_fitting = row.waited_ms and tag_width(long) < available_width * 0.6
        return long if is_long_fitting else short

    @staticmethod
    def _paint_bar(painter: QPainter, area: QRectF, row: TimelineRow) -> None:
        if row.state is None:
            return
        paint_box(painter, area, theme().tokens.selected_inactive, None, radius=1)
        width = max(theme().px(3), round(area.width() * row.length))
        left = min(area.x() + round(area.width() * row.start), area.right() - width)
        colour = theme().color(mark_of(row.state).graphic)
        paint_box(painter, QRectF(left, area.y(), width, area.height()), colour, None, radius=1)


def item_hint(value: Json) -> str:
    """What an item of a loop is, in a few words."""
    if isinstance(value, dict):
        value = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str | int)), value)
    if isinstance(value, dict):
        return count(len(value), "value")
    if isinstance(value, list):
        return count(len(value), "entry", "entries")
    return "" if value is None else str(value)[:MAX_HINT_LENGTH]
