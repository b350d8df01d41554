"""The list of apps at the left, grouped by health, worst first."""

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QFrame, QListView, QStyleOptionViewItem, QWidget

from patchbay.desktop.state.my_apps_rows import AppRow, Group
from patchbay.desktop.ui.kit.delegates import RowDelegate, paint_row_background, paint_text
from patchbay.desktop.ui.kit.icons import paint_app_tile
from patchbay.desktop.ui.kit.marks import paint_mark
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import AppKey

Index = QModelIndex | QPersistentModelIndex
Entry = AppRow | tuple[Group, int]
"""A row, or the heading of a group with the number of apps in it."""

ENTRY = Qt.ItemDataRole.UserRole

_MARKS = {
    Group.ATTENTION: ("triangle-alert", "warning"),
    Group.VALID: ("circle-check", "success"),
    Group.UNTESTED: ("circle-dashed", "text_secondary"),
}


class AppListModel(QAbstractListModel):
    """Rows with a heading before each group; headings cannot be selected."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries: list[Entry] = []

    def set_rows(self, rows: tuple[AppRow, ...]) -> None:
        self.beginResetModel()
        self._entries = []
        for group in Group:
            inside = [row for row in rows if row.group is group]
            if inside:
                self._entries.append((group, len(inside)))
                self._entries.extend(inside)
        self.endResetModel()

    def row_of(self, key: AppKey) -> int:
        """Where an app stands; -1 when it is not listed."""
        found = (
            at for at, item in enumerate(self._entries) if isinstance(item, AppRow) and item.app.key == key
        )
        return next(found, -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        if role == ENTRY:
            return entry
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return _spoken(entry, full=role == Qt.ItemDataRole.AccessibleTextRole)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or not isinstance(self._entries[index.row()], AppRow):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


def _spoken(entry: Entry, *, full: bool) -> str:
    if not isinstance(entry, AppRow):
        return f"{entry[0].value}, {entry[1]}"
    return ", ".join(filter(None, (entry.app.name, entry.counts, entry.word))) if full else entry.app.name


class _Delegate(RowDelegate):
    """App rows of 46 px, headings of 30."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, height=46)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        heading = not isinstance(index.data(ENTRY), AppRow)
        return QSize(theme().px(80), theme().px(30 if heading else 46))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry, rect = index.data(ENTRY), QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(entry, AppRow):
            paint_row_background(painter, option)
            _paint_app_row(painter, rect, entry)
        else:
            _paint_heading(painter, rect, *entry)
        painter.restore()


def _paint_heading(painter: QPainter, rect: QRectF, group: Group, number: int) -> None:
    px, tokens = theme().px, theme().tokens
    painter.fillRect(rect, tokens.sidebar)
    painter.fillRect(QRectF(rect.x(), rect.bottom() - 1, rect.width(), 1), tokens.border)
    words = rect.adjusted(px(16), 0, 0, 0)
    width = paint_text(painter, words, group.value, "caption_strong", "text_tertiary")
    paint_text(painter, words.adjusted(width + px(6), 0, 0, 0), str(number), "caption", "text_tertiary")


def _paint_app_row(painter: QPainter, rect: QRectF, row: AppRow) -> None:
    px = theme().px
    tile = QRectF(rect.x() + px(16), rect.y() + px(7), px(32), px(32))
    paint_app_tile(painter, tile, row.app)
    right = _paint_health(painter, rect, row)
    words = QRectF(tile.right() + px(12), rect.y() + px(5), right - tile.right() - px(20), px(18))
    paint_text(painter, words, row.app.name, "medium")
    below = words.translated(0, px(18))
    paint_text(painter, below, row.counts, "caption", "failure" if row.app.broken else "text_secondary")


def _paint_health(painter: QPainter, rect: QRectF, row: AppRow) -> float:
    """The state at the right; returns where it begins."""
    px, right = theme().px, rect.right() - theme().px(16)
    if row.group not in _MARKS:
        return right
    icon, token = _MARKS[row.group]
    width = QFontMetricsF(theme().font("body")).horizontalAdvance(row.word)
    words = QRectF(right - width, rect.y(), width + 1, rect.height())
    paint_text(painter, words, row.word, "body", token)
    mark = QRectF(words.x() - px(22), rect.y(), px(16), rect.height())
    paint_mark(painter, mark, icon, theme().color(token), theme().tokens.surface)
    return mark.x()


class AppList(QListView):
    """One app is selected at a time; headings are skipped by the arrow keys."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = AppListModel(self)
        self.setModel(self.rows)
        self.setItemDelegate(_Delegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setAccessibleName("Apps")
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.selectionModel().currentChanged.connect(self._current_changed)

    def select(self, key: AppKey) -> None:
        """Show which app is selected, without saying so again."""
        row = self.rows.row_of(key)
        if row >= 0 and self.currentIndex().row() != row:
            self.setCurrentIndex(self.rows.index(row))

    def _current_changed(self, current: QModelIndex) -> None:
        entry = current.data(ENTRY)
        if isinstance(entry, AppRow):
            self.chosen.emit(entry.app.key)
