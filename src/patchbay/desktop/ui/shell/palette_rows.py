"""How the rows of the command palette look."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QPainter, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import (
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from patchbay.desktop.ui.kit.actions import Action
from patchbay.desktop.ui.kit.delegates import RowDelegate, paint_text
from patchbay.desktop.ui.kit.icons import paint_app, paint_icon
from patchbay.desktop.ui.kit.keycaps import keycaps_width, paint_keycaps
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.apps import AppInfo

Index = QModelIndex | QPersistentModelIndex
ROW_ROLE = Qt.ItemDataRole.UserRole


class PaletteDelegate(RowDelegate):
    """Rows of 36 px; matched letters in accent semibold; key caps at the right."""

    def __init__(self, parent: QWidget, app_of: Callable[[str], AppInfo | None]) -> None:
        super().__init__(parent, height=36)
        self._app_of = app_of

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row = index.data(ROW_ROLE)
        return QSize(theme().px(200), theme().px(36 if row and row.action else 30))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row, current = index.data(ROW_ROLE), theme()
        rect = QRectF(option.rect)
        px = current.px
        if row.action is None:
            paint_text(painter, rect.adjusted(px(16), 0, 0, 0), row.title, "caption_strong", "text_tertiary")
            return
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, current.tokens.selected)
        action: Action = row.action
        reason = action.reason()
        mark = QRectF(rect.x() + px(14), rect.y(), px(24), rect.height())
        if action.app_key:
            paint_app(painter, mark, self._app_of(action.app_key))
        else:
            paint_icon(painter, mark, action.icon, "text_disabled" if reason else "text_secondary")
        caps = action.keys()
        right = rect.right() - px(16)
        if caps:
            paint_keycaps(painter, QRectF(rect.x(), rect.y(), right - rect.x(), rect.height()), caps)
            right -= keycaps_width(caps) + px(16)
        colour = current.tokens.text_tertiary if reason else current.tokens.text
        x = rect.x() + px(46)
        available_width = right - x
        x += _paint_title(
            painter, QRectF(x, rect.y(), available_width, rect.height()), row.title, row.positions, colour
        ) + px(14)
        hint = f"Not available: {reason}" if reason else action.hint
        paint_text(
            painter, QRectF(x, rect.y(), max(0.0, right - x), rect.height()), hint, "body", "text_tertiary"
        )


def _paint_title(
    painter: QPainter, rect: QRectF, text: str, positions: Sequence[int], colour: QColor
) -> float:
    """The title with its matched letters set off; returns its width."""
    current = theme()
    layout = QTextLayout(text, current.font("body"))
    emphasis = QTextCharFormat()
    emphasis.setFontWeight(600)
    emphasis.setForeground(current.tokens.accent_text)
    formats = []
    for letter in positions:
        span = QTextLayout.FormatRange()
        span.start, span.length, span.format = letter, 1, emphasis
        formats.append(span)
    layout.setFormats(formats)
    layout.beginLayout()
    first = layout.createLine()
    first.setLineWidth(100_000)
    layout.endLayout()
    width = first.naturalTextWidth()
    painter.save()
    painter.setClipRect(rect)
    painter.setPen(colour)
    at = rect.topLeft()
    at.setY(rect.y() + (rect.height() - first.height()) / 2)
    layout.draw(painter, at)
    painter.restore()
    return min(width, rect.width())
