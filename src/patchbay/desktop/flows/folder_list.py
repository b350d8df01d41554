"""The folder sidebar of the Flows tab: item model, painting, and drop targets."""

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QObject,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QPainter,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from patchbay.desktop.core.language import number_text, tr, tr_count
from patchbay.desktop.flows.flow_rows import dragged_flows
from patchbay.desktop.flows.view_models.flow_list import SidebarPlace
from patchbay.desktop.flows.view_models.folders import SidebarEntry
from patchbay.desktop.kit.buttons import IconButton, paint_box
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.item_views import ITEM_ROLE, Index, begin_rename
from patchbay.desktop.kit.mark_painting import paint_mark
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.rows_model import RowsModel
from patchbay.desktop.kit.shortcuts import DELETE, RENAME
from patchbay.desktop.kit.theme import theme


@dataclass(frozen=True)
class Heading:
    """The heading above the folders."""

    label: str


class FolderSidebarModel(RowsModel[SidebarEntry | Heading]):
    """Fixed entries, a heading, and the folders."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent, key=entry_key)

    def show(self, fixed: tuple[SidebarEntry, ...], folders: tuple[SidebarEntry, ...]) -> None:
        """Show the fixed places, and below them the folders."""
        self.set_rows((*fixed, Heading(tr("Folders")), *folders))

    def entry(self, index: Index) -> SidebarEntry | None:
        """The place in a row; None for a heading."""
        line = self.row(index)
        return line if isinstance(line, SidebarEntry) else None

    def row_of(self, place: str) -> int:
        """The row of a place; -1 if it isn't shown."""
        return self.find_row(lambda line: entry_key(line) == place)

    @property
    def heading_row(self) -> int:
        """The row of the heading of folders."""
        return self.find_row(lambda line: isinstance(line, Heading))

    def value(self, line: SidebarEntry | Heading, role: int) -> Any:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return line.label
        if role == Qt.ItemDataRole.AccessibleTextRole and isinstance(line, SidebarEntry):
            if line.count is None:
                return tr("{name}, number of flows not known", name=line.label)
            return tr_count(line.count, "{name}, {n} flow", "{name}, {n} flows", name=line.label)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        entry = self.entry(index)
        if entry is None:
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if entry.folder:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags | Qt.ItemFlag.ItemIsDropEnabled if entry.accepts_flows else flags


def entry_key(line: SidebarEntry | Heading) -> str:
    """What identifies a row: its place, or the text of a heading."""
    return line.place if isinstance(line, SidebarEntry) else line.label


# Painting

ROW_HEIGHT = 30
HEADING_HEIGHT = 44
MARGIN = 8

_ICONS = {
    SidebarPlace.ALL: "workflow",
    SidebarPlace.ATTENTION: "triangle-alert",
    SidebarPlace.UNCATEGORISED: "inbox",
}


class FolderSidebarDelegate(QStyledItemDelegate):
    """Paints entries with icon, name, and count, the heading, and the drop target."""

    renamed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.target = -1
        self.dragged_count = 0

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        entry = isinstance(index.data(ITEM_ROLE), SidebarEntry)
        return QSize(theme().px(100), theme().px(ROW_HEIGHT if entry else HEADING_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line = index.data(ITEM_ROLE)
        shown: Any = option
        px = theme().px
        rect = QRectF(shown.rect).adjusted(px(MARGIN), 0, -px(MARGIN), 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(line, SidebarEntry):
            self._paint_entry(painter, rect, shown.state, index.row(), line)
        else:
            area = rect.adjusted(px(8), px(8), 0, 0)
            paint_text(painter, area, line.label, "caption_strong", "text_secondary")
        painter.restore()

    def _paint_entry(
        self, painter: QPainter, rect: QRectF, state: QStyle.StateFlag, row: int, line: SidebarEntry
    ) -> None:
        px, tokens = theme().px, theme().tokens
        target = row == self.target
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or target:
            paint_box(painter, rect, tokens.selected, None)
        elif state & QStyle.StateFlag.State_MouseOver:
            paint_box(painter, rect, tokens.hover, None)
        if target:
            painter.setPen(QPen(tokens.accent, px(2)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), px(5), px(5))
        self._paint_icon(
            painter, QRectF(rect.x() + px(8), rect.y(), px(16), rect.height()), line, target, selected
        )
        text_rect = QRectF(rect.x() + px(32), rect.y(), rect.width() - px(72), rect.height())
        paint_text(painter, text_rect, line.label, "semibold" if selected else "body")
        number = (
            f"+{self.dragged_count}" if target else "–" if line.count is None else number_text(line.count)
        )
        is_strong = selected or target
        is_warning = line.place == SidebarPlace.ATTENTION and line.count
        colour = "accent_text" if is_strong else "warning" if is_warning else "text_tertiary"
        area = QRectF(rect.right() - px(48), rect.y(), px(40), rect.height())
        role = "caption_strong" if is_strong else "caption"
        paint_text(painter, area, number, role, colour, Qt.AlignmentFlag.AlignRight)

    def _paint_icon(
        self, painter: QPainter, rect: QRectF, line: SidebarEntry, target: bool, selected: bool
    ) -> None:
        name = _ICONS.get(SidebarPlace(line.place)) if line.folder is None else None
        if name == "triangle-alert":
            colour = theme().tokens.warning if line.count else theme().tokens.text_tertiary
            paint_mark(painter, rect, name, colour, theme().tokens.sidebar)
            return
        token = "accent_text" if selected or target else "text_secondary"
        paint_icon(painter, rect, name or ("folder-open" if target else "folder"), token)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAccessibleName(tr("Folder name"))
        editor.setMaxLength(255)
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        shown: Any = option
        px = theme().px
        editor.setGeometry(QRect(shown.rect).adjusted(px(MARGIN + 24), 1, -px(MARGIN), -1))

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        begin_rename(editor, index.data())

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        line = index.data(ITEM_ROLE)
        if isinstance(editor, QLineEdit) and isinstance(line, SidebarEntry):
            self.renamed.emit(line.place, editor.text())


# View


class FolderSidebar(QListView):
    """The sidebar with folders.

    `chosen(place)` when an entry is selected; `dropped(place, flow ids)` when flows are dropped on it.
    """

    chosen = Signal(str)
    dropped = Signal(str, object)
    new_requested = Signal()
    delete_requested = Signal(str)
    menu_requested = Signal(str, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entries = FolderSidebarModel(self)
        self.delegate = FolderSidebarDelegate(self)
        self._place = str(SidebarPlace.ALL)
        self.setModel(self.entries)
        self.setItemDelegate(self.delegate)
        self.setAccessibleName(tr("Folders"))
        self.setProperty("surface", "sidebar")
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.entries.modelReset.connect(self._add_heading_button)

    def show_entries(
        self, fixed: tuple[SidebarEntry, ...], folders: tuple[SidebarEntry, ...], place: str
    ) -> None:
        """Show the places and folders, one of them selected."""
        self._place = place
        self.entries.show(fixed, folders)
        index = self.entries.index(self.entries.row_of(place))
        if index != self.currentIndex():
            self.selectionModel().setCurrentIndex(index, self.selectionModel().SelectionFlag.ClearAndSelect)

    def rename(self, place: str) -> None:
        """Edit the folder's name in place."""
        index = self.entries.index(self.entries.row_of(place))
        entry = self.entries.entry(index)
        if entry is not None and entry.folder is not None:
            self.setCurrentIndex(index)
            self.scrollTo(index)
            self.edit(index)

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        entry = self.entries.entry(current)
        if entry is not None and entry.place != self._place:
            self._place = entry.place
            self.chosen.emit(entry.place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        entry = self.entries.entry(self.currentIndex())
        folder = entry.place if entry is not None and entry.folder is not None else None
        if RENAME.matches(event) and folder:
            self.rename(folder)
        elif DELETE.matches(event) and folder:
            self.delete_requested.emit(folder)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        is_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if is_mouse else self.currentIndex()
        entry = self.entries.entry(index)
        if entry is not None and entry.folder is not None:
            self.menu_requested.emit(entry.place, event.globalPos())

    # Drop target

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dragged_flows(event.mimeData()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        entry = self.entries.entry(index)
        flows = dragged_flows(event.mimeData())
        can_drop = bool(flows) and entry is not None and entry.accepts_flows
        self._show_drop_target(index.row() if can_drop else -1, len(flows))
        event.accept() if can_drop else event.ignore()

    def dragLeaveEvent(self, event: Any) -> None:
        self._show_drop_target(-1, 0)

    def dropEvent(self, event: QDropEvent) -> None:
        entry = self.entries.entry(self.indexAt(event.position().toPoint()))
        flows = dragged_flows(event.mimeData())
        self._show_drop_target(-1, 0)
        if entry is not None and entry.accepts_flows and flows:
            self.dropped.emit(entry.place, flows)
            event.acceptProposedAction()

    def _show_drop_target(self, row: int, flows: int) -> None:
        self.delegate.target, self.delegate.dragged_count = row, flows
        self.viewport().update()

    # The + beside the heading

    def _add_heading_button(self) -> None:
        row = self.entries.heading_row
        if row >= 0:
            button_row = _HeadingButton()
            button_row.add.clicked.connect(self.new_requested)
            self.setIndexWidget(self.entries.index(row), button_row)


class _HeadingButton(QWidget):
    """The New folder button at the right of the heading."""

    def __init__(self) -> None:
        super().__init__()
        self.add = IconButton("plus", tr("New folder"), self, small=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.add.move(self.width() - theme().px(26), self.height() - theme().px(30))
