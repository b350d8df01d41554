"""The variable picker: values of earlier steps as a searchable tree with types and samples."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QFrame,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from patchbay.desktop.core.language import number_text, tr, tr_count
from patchbay.desktop.core.names import best_match
from patchbay.desktop.editor.view_models.variables import ValueCatalog, ValueEntry, ValueGroup
from patchbay.desktop.kit.badges import paint_tag, tag_width
from patchbay.desktop.kit.boxes import hbox
from patchbay.desktop.kit.icons import paint_app, paint_icon
from patchbay.desktop.kit.item_views import store_value, stored_value
from patchbay.desktop.kit.layout import line
from patchbay.desktop.kit.line_edit import LineEdit, paint_key_cap
from patchbay.desktop.kit.marks import STRUCTURE_ICONS
from patchbay.desktop.kit.popups import SHADOW, Popup
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.text import Label, clock_time
from patchbay.desktop.kit.theme import theme
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey, EpochMs, StepId

GROUP_ROLE = Qt.ItemDataRole.UserRole + 1
ENTRY_ROLE = Qt.ItemDataRole.UserRole + 2
SHOWN_ROLE = Qt.ItemDataRole.UserRole + 3

INITIAL_VALUES_SHOWN = 6


class PickerModel(QStandardItemModel):
    """The item model: groups with their first values; `expand_group` shows the rest.

    A search shows all matches.
    """

    def __init__(
        self, catalog: ValueCatalog, preferred_type: str = "", parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._catalog, self._prefer = catalog, preferred_type
        self._unfolded: set[str] = set()
        self._query = ""
        self.search("")

    def search(self, words: str) -> None:
        """Show only variables that match the text."""
        self._query = words
        self.clear()
        for group in self._catalog.search(words, self._prefer):
            self.appendRow(self._group(group))

    def expand_group(self, step_id: StepId) -> None:
        """Show all variables of a step."""
        self._unfolded.add(step_id)
        self.search(self._query)

    def _group(self, group: ValueGroup) -> QStandardItem:
        every = bool(self._query) or group.step_id in self._unfolded
        entries = group.entries if every else group.entries[:INITIAL_VALUES_SHOWN]
        item = _item(group.heading)
        store_value(item, group, GROUP_ROLE)
        store_value(item, len(entries), SHOWN_ROLE)
        item.appendRows([_entry(entry) for entry in entries])
        return item


def _item(text: str) -> QStandardItem:
    item = QStandardItem(text)
    item.setEditable(False)
    return item


def _entry(entry: ValueEntry) -> QStandardItem:
    item = _item(entry.label)
    store_value(item, entry, ENTRY_ROLE)
    item.setData(f"{entry.label}, {entry.type_label}, {entry.sample}", Qt.ItemDataRole.AccessibleTextRole)
    return item


def entry_of(index: Any) -> ValueEntry | None:
    """The variable in a row; None for other rows."""
    found = stored_value(index, ENTRY_ROLE) if index.isValid() else None
    return found if isinstance(found, ValueEntry) else None


def group_of(index: Any) -> ValueGroup | None:
    """The group that a row starts; None for other rows."""
    found = stored_value(index, GROUP_ROLE) if index.isValid() else None
    return found if isinstance(found, ValueGroup) else None


def _sample_note(moment: EpochMs | None) -> str:
    return tr("Sample from run at {time}", time=clock_time(moment)) if moment else ""


# Picker

ROW = 26
ROWS_SHOWN = 9
SHOW_ALL = tr("Show all", "variables of a step")


class ValuePicker(Popup):
    """The picker popup below a field. `picked(token)` when a variable is chosen."""

    picked = Signal(str)

    def __init__(
        self,
        anchor: QWidget,
        catalog: ValueCatalog,
        find_app: Callable[[AppKey | None], AppInfo | None],
        preferred_type: str = "",
    ) -> None:
        super().__init__(anchor)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        px = theme().px
        self.model = PickerModel(catalog, preferred_type, self)
        self.search = LineEdit("", tr_count(catalog.total, "Search {n} variable", "Search {n} variables"))
        self.search.setAccessibleName(tr("Search variables from earlier steps"))
        self.search.setFrame(False)
        self.search.ring_halo = False
        self.search.setStyleSheet("border: none; background: transparent")
        self.search.textChanged.connect(self._search)
        self.search.installEventFilter(self)
        self.tree = _ValueTree(self.model, find_app)
        self.tree.clicked.connect(self._on_clicked)
        self.body.setContentsMargins(SHADOW + 1, SHADOW + 1, SHADOW + 1, SHADOW + 1)
        self.body.setSpacing(0)
        moment = catalog.sampled_at
        head = hbox(
            (self.search, 1),
            Label(_sample_note(moment), "caption", "text_tertiary"),
            margins=(30, 0, 12, 0),
        )
        self.body.addLayout(head)
        self.body.addWidget(line())
        self._empty = Label("", "body", "text_secondary", wrap=True)
        self._empty.setContentsMargins(px(14), px(10), px(14), px(10))
        self.body.addWidget(self._empty)
        self.body.addWidget(self.tree)
        self.body.addWidget(line())
        self.body.addWidget(_KeyHints())
        self._search("")

    def open_at(self, anchor: QWidget) -> None:
        """Open the list below a widget, with the cursor in its search."""
        self.setFixedWidth(max(anchor.width(), theme().px(380)) + 2 * SHADOW)
        self.open_under(anchor)
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        px = theme().px
        place = QRectF(SHADOW + px(10), SHADOW, px(20), self.search.height() + px(2))
        paint_icon(QPainter(self), place, "search", "text_tertiary", 16)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        key = event.key()
        if key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.tree.step(1 if key == Qt.Key.Key_Down else -1)
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab):
            self._pick(self.tree.currentIndex())
            return True
        return False

    def _search(self, words: str) -> None:
        self.model.search(words)
        self.tree.expandAll()
        found = any(self.model.item(row).rowCount() for row in range(self.model.rowCount()))
        self._empty.setVisible(not found)
        self.tree.setVisible(self.model.rowCount() > 0)
        if not self.model.rowCount():
            self._empty.setText(
                tr("No matching variables.")
                if words
                else tr("There are no earlier steps to insert variables from.")
            )
        elif not found:
            self._empty.setText(tr("Test an earlier step to see its variables here."))
        self.tree.fit()
        self.tree.highlight(words)
        self.body.activate()
        self.fit()

    def _on_clicked(self, index: QModelIndex) -> None:
        group = group_of(index)
        if group is not None and self.tree.over_show_all:
            self.model.expand_group(group.step_id)
            self.tree.expandAll()
            self.tree.fit()
        elif group is not None:
            self.tree.setExpanded(index, not self.tree.isExpanded(index))
        else:
            self._pick(index)

    def _pick(self, index: QModelIndex) -> None:
        entry = entry_of(index)
        if entry is not None:
            self.close()
            self.picked.emit(entry.token)


class _ValueTree(QTreeView):
    """The tree of the picker; the search field keeps the focus and moves the current row."""

    def __init__(self, model: PickerModel, find_app: Callable[[AppKey | None], AppInfo | None]) -> None:
        super().__init__()
        self.over_show_all = False
        self.setModel(model)
        self.setItemDelegate(_ValueDelegate(find_app, self))
        self.setHeaderHidden(True)
        self.setIndentation(0)
        self.setUniformRowHeights(True)
        self.setRootIsDecorated(False)
        self.setMouseTracking(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr("Values", "variables"))
        self.setProperty("surface", "raised")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def fit(self) -> None:
        model: Any = self.model()
        rows = sum(1 + model.item(row).rowCount() for row in range(model.rowCount()))
        self.setFixedHeight(theme().px(ROW) * max(1, min(rows, ROWS_SHOWN)))

    def highlight(self, words: str) -> None:
        """Make the best match the current row."""
        model: Any = self.model()
        entries = [
            model.index(at, 0, model.index(row, 0))
            for row in range(model.rowCount())
            for at in range(model.item(row).rowCount())
        ]
        best = best_match(words, [index.data() for index in entries])
        if best is not None:
            self.setCurrentIndex(entries[best])
            self.scrollTo(entries[best]) if words else self.scrollToTop()

    def step(self, by: int) -> None:
        """Move to the next variable, skipping step rows."""
        index = self.currentIndex()
        while True:
            index = self._next(index, by)
            if not index.isValid():
                return
            if entry_of(index) is not None:
                self.setCurrentIndex(index)
                return

    def _next(self, index: QModelIndex, by: int) -> QModelIndex:
        if not index.isValid():
            return self.model().index(0, 0) if by > 0 else QModelIndex()
        return self.indexBelow(index) if by > 0 else self.indexAbove(index)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._update_hover(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._update_hover(event)  # not by the event of a move, which with a button down begins to drag
        super().mousePressEvent(event)

    def _update_hover(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        at_end = event.position().x() > self.viewport().width() - _show_all_width() - theme().px(12)
        self.over_show_all = at_end and group_of(index) is not None
        if entry_of(index) is not None:
            self.setCurrentIndex(index)


def _show_all_width() -> int:
    return QFontMetrics(theme().font("caption")).horizontalAdvance(SHOW_ALL) + theme().px(4)


class _ValueDelegate(QStyledItemDelegate):
    """Paints 26 px rows of steps and variables."""

    def __init__(self, find_app: Callable[[AppKey | None], AppInfo | None], parent: QObject) -> None:
        super().__init__(parent)
        self._find_app = find_app

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(theme().px(200), theme().px(ROW))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        shown: Any = option
        rect = QRectF(shown.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if (entry := entry_of(index)) is not None:
            if shown.state & QStyle.StateFlag.State_Selected:
                painter.fillRect(rect, theme().tokens.selected)
            self._entry(painter, rect, entry)
        elif (group := group_of(index)) is not None:
            self._group(painter, rect, group, stored_value(index, SHOWN_ROLE), shown.widget.isExpanded(index))
        painter.restore()

    def _group(self, painter: QPainter, rect: QRectF, group: ValueGroup, listed: int, is_open: bool) -> None:
        px = theme().px
        arrow = QRectF(rect.x() + px(12), rect.y(), px(14), rect.height())
        paint_icon(painter, arrow, "chevron-down" if is_open else "chevron-right", "text_tertiary", 12)
        glyph = QRectF(rect.x() + px(32), rect.y(), px(16), rect.height())
        if group.is_run:
            paint_icon(painter, glyph, "play", "accent_text", 16)
        elif structure := STRUCTURE_ICONS.get(group.kind):
            paint_icon(painter, glyph, structure, "accent_text", 16)
        else:
            paint_app(painter, glyph, self._find_app(group.app_key), 16)
        area = QRectF(rect.x() + px(55), rect.y(), rect.width() - px(180), rect.height())
        taken = paint_text(painter, area, group.heading, "semibold")
        total = len(group.entries)
        if not total:
            words = tr("no sample yet, test this step")
        elif listed < total:
            words = tr("{listed} of {total} variables", listed=listed, total=number_text(total))
        else:
            words = tr_count(total, "{n} variable", "{n} variables")
        start = area.x() + taken + px(8)
        room = rect.right() - start - (_show_all_width() + px(16) if listed < total else px(8))
        area = QRectF(start, rect.y(), room, rect.height())
        paint_text(painter, area, words, "caption", "text_tertiary")
        if listed < total:
            width = _show_all_width()
            end = QRectF(rect.right() - width - px(12), rect.y(), width, rect.height())
            paint_text(painter, end, SHOW_ALL, "caption", "accent_text", Qt.AlignmentFlag.AlignRight)

    def _entry(self, painter: QPainter, rect: QRectF, entry: ValueEntry) -> None:
        px = theme().px
        share = max(px(150), rect.width() * 0.39)
        name = QRectF(rect.x() + px(40), rect.y(), share - px(50), rect.height())
        paint_text(painter, name, entry.label)
        width = tag_width(entry.type_label)
        tag = QRectF(rect.x() + share, rect.center().y() - px(9), width, px(18))
        paint_tag(painter, tag, entry.type_label)
        start = rect.x() + share + max(px(64), width + px(8))
        sample = QRectF(start, rect.y(), rect.right() - start - px(12), rect.height())
        paint_text(painter, sample, entry.sample, "caption", "text_secondary")


class _KeyHints(QWidget):
    """The key hints in the footer."""

    KEYS = (
        ("↑", ""),
        ("↓", tr("choose", "what keys do")),
        ("Enter", tr("insert", "what keys do")),
        ("Esc", tr("close", "what keys do")),
    )

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(theme().px(28))

    def paintEvent(self, event: QPaintEvent) -> None:
        px = theme().px
        painter = QPainter(self)
        x = px(14)
        font = theme().font("caption")
        painter.setFont(font)
        for cap, words in self.KEYS:
            width = painter.fontMetrics().horizontalAdvance(cap) + px(9)
            x += paint_key_cap(painter, QPoint(x + max(width, px(14)), self.height() // 2), cap) + px(6)
            if words:
                area = QRectF(x, 0, px(90), self.height())
                x += round(paint_text(painter, area, words, "caption", "text_secondary")) + px(18)
