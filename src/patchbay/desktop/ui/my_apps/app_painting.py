"""How an app is painted in the list: as a row, or as a tile of the grid."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyleOptionViewItem

from patchbay.desktop.state.my_apps_rows import LOCKED, UNREACHED, AppRow, Group
from patchbay.desktop.ui.kit.buttons import paint_box
from patchbay.desktop.ui.kit.delegates import RowDelegate, paint_row_background, paint_text
from patchbay.desktop.ui.kit.icons import paint_app_tile
from patchbay.desktop.ui.kit.marks import paint_mark
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.my_apps.app_list_model import ENTRY_ROLE, Index

COLUMNS = 3
ROW_HEIGHT, HEADING_HEIGHT, TILE_HEIGHT = 46, 30, 118

_MARKS = {
    Group.ATTENTION: ("triangle-alert", "warning"),
    Group.BROKEN: ("circle-x", "failure"),
    Group.VALID: ("circle-check", "success"),
    Group.UNTESTED: ("circle-dashed", "text_secondary"),
}
_MARKS_BY_LABEL = {LOCKED: ("lock", "warning"), UNREACHED: ("unplug", "warning")}
"""Of what says nothing about whether the credentials are accepted."""


class AppDelegate(RowDelegate):
    """Rows of 46 px or tiles of 118, headings of 30 across the whole width."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view, height=ROW_HEIGHT)
        self._view = view
        self.grid = False

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        heading, width = not isinstance(index.data(ENTRY_ROLE), AppRow), self._view.viewport().width()
        if not self.grid:
            return QSize(theme().px(80), theme().px(HEADING_HEIGHT if heading else ROW_HEIGHT))
        cell_width = width if heading else max(theme().px(60), width // COLUMNS)
        return QSize(cell_width, theme().px(HEADING_HEIGHT if heading else TILE_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry, rect = index.data(ENTRY_ROLE), QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not isinstance(entry, AppRow):
            _paint_heading(painter, rect, *entry)
        elif self.grid:
            _paint_tile(painter, rect, entry, option)
        else:
            paint_row_background(painter, option)
            _paint_row(painter, rect, entry)
        painter.restore()


def _paint_heading(painter: QPainter, rect: QRectF, heading: str, number: int) -> None:
    px, tokens = theme().px, theme().tokens
    painter.fillRect(rect, tokens.sidebar)
    painter.fillRect(QRectF(rect.x(), rect.bottom() - 1, rect.width(), 1), tokens.border)
    text_rect = rect.adjusted(px(16), 0, 0, 0)
    width = paint_text(painter, text_rect, heading, "caption_strong", "text_tertiary")
    paint_text(painter, text_rect.adjusted(width + px(6), 0, 0, 0), str(number), "caption", "text_tertiary")


def _paint_row(painter: QPainter, rect: QRectF, row: AppRow) -> None:
    px = theme().px
    tile = QRectF(rect.x() + px(16), rect.y() + px(7), px(32), px(32))
    paint_app_tile(painter, tile, row.app)
    right = rect.right() - px(16)
    if row.word:
        width = _health_width(row, "body")
        right -= width
        _paint_health(painter, QRectF(right, rect.y(), width, rect.height()), row, "body")
    text_rect = QRectF(tile.right() + px(12), rect.y() + px(5), right - tile.right() - px(24), px(18))
    paint_text(painter, text_rect, row.app.name, "medium")
    paint_text(painter, text_rect.translated(0, px(18)), row.counts, "caption", "text_secondary")


def _paint_tile(painter: QPainter, rect: QRectF, row: AppRow, option: QStyleOptionViewItem) -> None:
    px = theme().px
    _paint_tile_background(painter, rect, option)
    side = px(44)
    glyph = QRectF(rect.center().x() - side / 2, rect.y() + px(14), side, side)
    paint_app_tile(painter, glyph.toRect().toRectF(), row.app)
    text_rect = QRectF(rect.x() + px(6), glyph.bottom() + px(8), rect.width() - px(12), px(18))
    paint_text(painter, text_rect, row.app.name, "medium", align=Qt.AlignmentFlag.AlignHCenter)
    below = text_rect.translated(0, px(18))
    if row.word:
        width = min(_health_width(row, "caption"), below.width())
        left = below.center().x() - width / 2
        _paint_health(painter, QRectF(left, below.y(), width, below.height()), row, "caption")
    else:
        paint_text(
            painter, below, row.counts, "caption", "text_secondary", align=Qt.AlignmentFlag.AlignHCenter
        )


def _paint_tile_background(painter: QPainter, rect: QRectF, option: QStyleOptionViewItem) -> None:
    tokens, state = theme().tokens, option.state
    tile_rect = rect.adjusted(theme().px(4), theme().px(4), -theme().px(4), -theme().px(4))
    active = bool(state & QStyle.StateFlag.State_Active)
    if state & QStyle.StateFlag.State_Selected:
        fill = tokens.selected if active else tokens.selected_inactive
        paint_box(painter, tile_rect, fill, tokens.accent if active else tokens.border_control, radius=8)
    elif state & QStyle.StateFlag.State_MouseOver:
        paint_box(painter, tile_rect, tokens.hover, tokens.border, radius=8)


def health_mark(row: AppRow) -> tuple[str, str]:
    """The icon and the colour of the state."""
    if row.testing:
        return "spinner", "accent_text"
    return _MARKS_BY_LABEL.get(row.word) or _MARKS[row.group]


def _health_width(row: AppRow, role: str) -> float:
    return QFontMetricsF(theme().font(role)).horizontalAdvance(row.word) + theme().px(23)


def _paint_health(painter: QPainter, rect: QRectF, row: AppRow, role: str) -> None:
    """Mark and word of the state."""
    icon, token = health_mark(row)
    mark = QRectF(rect.x(), rect.y(), theme().px(16), rect.height())
    paint_mark(painter, mark, icon, theme().color(token), theme().tokens.surface)
    paint_text(painter, rect.adjusted(theme().px(22), 0, 1, 0), row.word, role, token)
