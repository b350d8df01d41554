"""Geometry and painting of the rows in the step list."""

from typing import Any

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from patchbay.desktop.core.app_store import AppStore
from patchbay.desktop.editor.step_rows import RowKind, StepMark, StepRow
from patchbay.desktop.kit.buttons import paint_box
from patchbay.desktop.kit.icons import paint_app_tile, paint_icon
from patchbay.desktop.kit.item_views import ITEM_ROLE, Index
from patchbay.desktop.kit.mark_painting import paint_mark
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.theme import theme

LEFT = 28
RIGHT = 17
INDENT = 14
GAP = 26
GAP_PLAIN = 10
GAP_END = 2
HEIGHTS = {RowKind.STEP: 54, RowKind.BRANCH: 44, RowKind.ADD: 26}


def row_height(row: StepRow, *, last: bool) -> int:
    """Row height including the gap below, for a 13 px body font."""
    below = GAP_END if last else GAP if row.insert_point is not None else GAP_PLAIN
    return HEIGHTS[row.kind] + below


def left_of(item: QRectF, depth: int) -> float:
    """The left edge of the card of a step at this depth, in pixels."""
    return item.x() + theme().px(LEFT + INDENT * depth)


def card_rect(item: QRectF, row: StepRow) -> QRectF:
    """The area of the card of a step within its row."""
    left = left_of(item, row.depth)
    return QRectF(left, item.y(), item.right() - theme().px(RIGHT) - left, theme().px(HEIGHTS[row.kind]))


def handle_rect(item: QRectF, row: StepRow) -> QRectF:
    """The area to drag a step by."""
    px = theme().px
    return QRectF(item.x() + px(8), item.y(), px(18), px(HEIGHTS[row.kind]))


def fold_rect(item: QRectF, row: StepRow) -> QRectF:
    """Return the fold chevron's rect, at the right end of the card."""
    px = theme().px
    card = card_rect(item, row)
    return QRectF(card.right() - px(30), card.y(), px(24), card.height())


def guide_x(item: QRectF, depth: int) -> float:
    """Return the x of the guide line at this depth."""
    return left_of(item, depth) + theme().px(6) + 0.5


def plus_rect(item: QRectF, row: StepRow) -> QRectF:
    """Return the rect of the + below a row."""
    px = theme().px
    side = px(20)
    depth = row.insert_point.depth if row.insert_point is not None else row.depth
    top = item.y() + px(HEIGHTS[row.kind]) + px(3)
    return QRectF(left_of(item, depth) + px(15), top, side, side)


# Painting

_MARKS = {
    StepMark.DONE: ("circle-check", "success"),
    StepMark.SKIPPED: ("circle-check", "text_tertiary"),
    StepMark.MISSING: ("triangle-alert", "warning"),
    StepMark.UNTESTED: ("circle-dashed", "text_tertiary"),
    StepMark.FAILED: ("circle-x", "failure"),
    StepMark.RUNNING: ("spinner", "accent_text"),
}


class StepDelegate(QStyledItemDelegate):
    """Paints a step card, the connector with + below it, and guides of its ancestors."""

    def __init__(self, apps: AppStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._apps = apps
        self.hover = -1
        self.hover_plus = -1
        self.drop: tuple[int, int] | None = None
        """The drop position: row and depth."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row = index.data(ITEM_ROLE)
        last = index.row() == index.model().rowCount() - 1
        height = row_height(row, last=last) if isinstance(row, StepRow) else 0
        return QSize(theme().px(200), theme().px(height))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ITEM_ROLE)
        if not isinstance(row, StepRow):
            return
        shown: Any = option
        item, number = QRectF(shown.rect), index.row()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_guides(painter, item, row)
        if row.insert_point is not None:
            self._paint_connector(painter, item, row, is_hovered=self.hover_plus == number)
        if row.kind is RowKind.ADD:
            self._paint_add_row(painter, item, row, shown.state, hovered=self.hover == number)
        else:
            self._paint_row(painter, item, row, shown.state, hovered=self.hover == number)
        self._paint_drop_line(painter, item, row, number, last=number == index.model().rowCount() - 1)
        painter.restore()

    # What surrounds a card

    def _paint_guides(self, painter: QPainter, item: QRectF, row: StepRow) -> None:
        painter.setPen(QPen(theme().tokens.border_button, 1))
        middle = item.y() + theme().px(HEIGHTS[row.kind]) / 2
        last_guide = len(row.guides) - 1
        for depth in row.guides:
            x = guide_x(item, depth)
            is_last = row.kind is RowKind.ADD and depth == row.guides[last_guide]
            painter.drawLine(QPointF(x, item.y()), QPointF(x, middle if is_last else item.bottom()))
        if row.kind is RowKind.ADD:
            x = guide_x(item, row.guides[last_guide])
            painter.drawLine(QPointF(x, middle), QPointF(left_of(item, row.depth) + theme().px(2), middle))
        if row.folded is False:
            x = guide_x(item, row.depth)
            painter.drawLine(QPointF(x, card_rect(item, row).bottom()), QPointF(x, item.bottom()))

    def _paint_connector(self, painter: QPainter, item: QRectF, row: StepRow, *, is_hovered: bool) -> None:
        tokens, plus = theme().tokens, plus_rect(item, row)
        painter.setPen(QPen(tokens.border_button, 1))
        x = plus.center().x()
        top = (
            card_rect(item, row).bottom()
            if row.insert_point and row.insert_point.depth == row.depth
            else plus.top()
        )
        painter.drawLine(QPointF(x, top), QPointF(x, item.bottom()))
        fill = tokens.accent if is_hovered else tokens.surface
        paint_box(painter, plus, fill, tokens.accent if is_hovered else tokens.border_button, radius=10)
        paint_icon(painter, plus, "plus", tokens.on_accent if is_hovered else tokens.text_secondary, 12)

    def _paint_drop_line(
        self, painter: QPainter, item: QRectF, row: StepRow, number: int, *, last: bool
    ) -> None:
        if self.drop is None:
            return
        before, depth = self.drop
        painter.setPen(QPen(theme().tokens.accent, theme().px(2)))
        left, right = left_of(item, depth), item.right() - theme().px(17)
        if before == number:
            y = item.y() + (0 if row.kind is RowKind.ADD else -theme().px(2))
            painter.drawLine(QPointF(left, y + 1), QPointF(right, y + 1))
        elif last and before == number + 1:
            y = card_rect(item, row).bottom()
            painter.drawLine(QPointF(left, y), QPointF(right, y))

    # The rows

    def _paint_row(
        self, painter: QPainter, item: QRectF, row: StepRow, state: QStyle.StateFlag, *, hovered: bool
    ) -> None:
        px, tokens = theme().px, theme().tokens
        card = card_rect(item, row)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        branch = row.kind is RowKind.BRANCH
        background = tokens.window if branch else tokens.surface
        fill = tokens.hover if hovered and not selected else background
        paint_box(painter, card, fill, None if branch else tokens.border, radius=8)
        if selected:
            painter.setPen(QPen(tokens.accent, px(2)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(card.adjusted(1, 1, -1, -1), px(7), px(7))
        start = self._paint_tile(painter, card, row)
        has_mark = row.folded is None or row.mark is not StepMark.DONE
        right_margin = px(36) if row.folded is None else px(60 if has_mark else 34)
        x, width = card.x() + start, card.width() - start - right_margin
        title = "text" if row.app_key or row.icon else "text_secondary"
        top = card.center().y() - px(17)
        paint_text(painter, QRectF(x, top, width, px(18)), row.title, "semibold", title)
        second = QRectF(x, top + px(18), width, px(16))
        paint_text(painter, second, row.detail, "caption", "text_secondary")
        if has_mark:
            icon, token = _MARKS[row.mark]
            edge = px(52) if row.folded is not None else px(28)
            area = QRectF(card.right() - edge, card.y(), px(18), card.height())
            paint_mark(painter, area, icon, theme().color(token), fill)
        if row.folded is not None:
            chevron = "chevron-right" if row.folded else "chevron-down"
            paint_icon(painter, fold_rect(item, row), chevron, "text_secondary", 14)
        if row.movable:
            grip = "text_secondary" if hovered else "text_disabled"
            paint_icon(painter, handle_rect(item, row), "grip-vertical", grip, 16)

    def _paint_tile(self, painter: QPainter, card: QRectF, row: StepRow) -> float:
        """Paint the icon; return the left edge of the text."""
        px, tokens = theme().px, theme().tokens
        if row.kind is RowKind.BRANCH:
            area = QRectF(card.x() + px(8), card.y(), px(16), card.height())
            paint_icon(painter, area, row.icon, "text_secondary", 16)
            return float(px(32))
        tile = QRectF(card.x() + px(12), card.center().y() - px(15), px(30), px(30))
        if row.icon:
            paint_box(painter, tile, tokens.accent_soft, None)
            paint_icon(painter, tile, row.icon, "accent_text")
        elif row.app_key:
            paint_app_tile(painter, tile, self._apps.get(row.app_key))
        else:
            paint_box(painter, tile, None, tokens.border_button)
            paint_icon(painter, tile, "plus", "text_tertiary")
        return float(px(52))

    def _paint_add_row(
        self, painter: QPainter, item: QRectF, row: StepRow, state: QStyle.StateFlag, *, hovered: bool
    ) -> None:
        px, tokens = theme().px, theme().tokens
        area = card_rect(item, row)
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        token = "accent_text" if hovered or focused else "text_tertiary"
        box = QRectF(area.x() + px(6), area.y(), px(16), area.height())
        paint_icon(painter, box, "plus", token, 14)
        text_rect = area.adjusted(px(26), 0, 0, 0)
        text_width = paint_text(painter, text_rect, row.title, "caption", token)
        if focused:
            painter.setPen(QPen(tokens.focus, px(2)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area.adjusted(2, 2, px(34) + text_width - area.width(), -2), px(5), px(5))
