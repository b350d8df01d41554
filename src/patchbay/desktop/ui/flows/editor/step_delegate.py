"""How the cards of the step list are drawn, and where their parts are."""

from typing import Any

from PySide6.QtCore import QObject, QPointF, QRectF, QSize
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from patchbay.desktop.state.app_store import AppStore
from patchbay.desktop.ui.flows.editor.step_rows import ROW_ROLE, Index, StepMark, StepRow
from patchbay.desktop.ui.kit.buttons import paint_box
from patchbay.desktop.ui.kit.delegates import paint_text
from patchbay.desktop.ui.kit.icons import paint_app_tile, paint_icon
from patchbay.desktop.ui.kit.marks import paint_mark
from patchbay.desktop.ui.kit.theme import theme

CARD, PITCH = 54, 80

_MARKS = {
    StepMark.DONE: ("circle-check", "success"),
    StepMark.MISSING: ("triangle-alert", "warning"),
    StepMark.UNTESTED: ("circle-dashed", "text_tertiary"),
    StepMark.RUNNING: ("spinner", "accent_text"),
}


def card_rect(item: QRectF) -> QRectF:
    px = theme().px
    return QRectF(item.x() + px(28), item.y(), item.width() - px(45), px(CARD))


def handle_rect(item: QRectF) -> QRectF:
    px = theme().px
    return QRectF(item.x() + px(8), item.y(), px(18), px(CARD))


def plus_rect(item: QRectF) -> QRectF:
    """The + between this card and the next."""
    px = theme().px
    side = px(20)
    return QRectF(item.x() + px(43), item.y() + px(CARD) + px(3), side, side)


class StepDelegate(QStyledItemDelegate):
    """A card with tile, two lines and a mark; a line with + down to the next one."""

    def __init__(self, apps: AppStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._apps = apps
        self.hover = -1
        self.hover_plus = -1
        self.drop_before = -1

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        last = index.row() == index.model().rowCount() - 1
        return QSize(theme().px(200), theme().px(CARD + 2 if last else PITCH))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, StepRow):
            return
        shown: Any = option
        item = QRectF(shown.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        last = index.row() == index.model().rowCount() - 1
        if not last:
            self._connector(painter, item, index.row())
        self._card(painter, card_rect(item), row, shown.state, hovered=self.hover == index.row())
        if row.movable:
            token = "text_secondary" if self.hover == index.row() else "text_disabled"
            paint_icon(painter, handle_rect(item), "grip-vertical", token, 16)
        if self.drop_before == index.row():
            self._drop_line(painter, item.y() - theme().px(2), card_rect(item))
        elif last and self.drop_before == index.row() + 1:
            self._drop_line(painter, card_rect(item).bottom(), card_rect(item))
        painter.restore()

    def _card(
        self, painter: QPainter, card: QRectF, row: StepRow, state: QStyle.StateFlag, *, hovered: bool
    ) -> None:
        px, tokens = theme().px, theme().tokens
        selected = bool(state & QStyle.StateFlag.State_Selected)
        fill = tokens.hover if hovered and not selected else tokens.surface
        paint_box(painter, card, fill, tokens.border, radius=8)
        if selected:
            painter.setPen(QPen(tokens.accent, px(2)))
            painter.drawRoundedRect(card.adjusted(1, 1, -1, -1), px(7), px(7))
        tile = QRectF(card.x() + px(12), card.center().y() - px(15), px(30), px(30))
        if row.app_key:
            paint_app_tile(painter, tile, self._apps.get(row.app_key))
        else:
            paint_box(painter, tile, None, tokens.border_button)
            paint_icon(painter, tile, "plus", "text_tertiary")
        x, width = card.x() + px(52), card.width() - px(88)
        title_token = "text" if row.app_key else "text_secondary"
        paint_text(painter, QRectF(x, card.y() + px(10), width, px(18)), row.title, "semibold", title_token)
        second = QRectF(x, card.y() + px(28), width, px(16))
        paint_text(painter, second, row.detail, "caption", "text_secondary")
        icon, token = _MARKS[row.mark]
        area = QRectF(card.right() - px(28), card.y(), px(18), card.height())
        paint_mark(painter, area, icon, theme().color(token), fill)

    def _connector(self, painter: QPainter, item: QRectF, number: int) -> None:
        px, tokens = theme().px, theme().tokens
        plus = plus_rect(item)
        painter.setPen(QPen(tokens.border_button, 1))
        x = plus.center().x()
        painter.drawLine(QPointF(x, item.y() + px(CARD)), QPointF(x, item.bottom()))
        over = self.hover_plus == number
        fill = tokens.accent if over else tokens.surface
        paint_box(painter, plus, fill, tokens.accent if over else tokens.border_button, radius=10)
        paint_icon(painter, plus, "plus", tokens.on_accent if over else tokens.text_secondary, 12)

    def _drop_line(self, painter: QPainter, y: float, card: QRectF) -> None:
        painter.setPen(QPen(theme().tokens.accent, theme().px(2)))
        painter.drawLine(QPointF(card.x(), y), QPointF(card.right(), y))
