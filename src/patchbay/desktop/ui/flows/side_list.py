"""The folder list beside the flows: counts, drop targets, renaming in place."""

from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from patchbay.desktop.state.flows_folders import SideEntry
from patchbay.desktop.state.flows_rows import SidePlace
from patchbay.desktop.ui.flows.list_model import Index, dragged_flows
from patchbay.desktop.ui.flows.side_delegate import FolderSidebarDelegate
from patchbay.desktop.ui.flows.side_model import FolderSidebarModel
from patchbay.desktop.ui.kit.buttons import IconButton
from patchbay.desktop.ui.kit.theme import theme


class FolderSidebar(QListView):
    """`chosen(place)` when an entry is selected; `dropped(place, flows)` when flows were dropped on one."""

    chosen = Signal(str)
    dropped = Signal(str, object)
    new_requested = Signal()
    delete_requested = Signal(str)
    menu_requested = Signal(str, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entries = FolderSidebarModel(self)
        self.delegate = FolderSidebarDelegate(self)
        self._place = str(SidePlace.ALL)
        self.setModel(self.entries)
        self.setItemDelegate(self.delegate)
        self.setAccessibleName("Folders")
        self.setProperty("surface", "sidebar")
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.entries.modelReset.connect(self._add_heading_button)

    def show_entries(self, fixed: tuple[SideEntry, ...], folders: tuple[SideEntry, ...], place: str) -> None:
        self._place = place
        self.entries.show(fixed, folders)
        index = self.entries.index(self.entries.row_of(place))
        if index != self.currentIndex():
            self.selectionModel().setCurrentIndex(index, self.selectionModel().SelectionFlag.ClearAndSelect)

    def rename(self, place: str) -> None:
        """Type another name in place."""
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
        if event.key() == Qt.Key.Key_F2 and folder:
            self.rename(folder)
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and folder:
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
        can_drop = bool(flows) and entry is not None and entry.takes_flows
        self._show_drop_target(index.row() if can_drop else -1, len(flows))
        event.accept() if can_drop else event.ignore()

    def dragLeaveEvent(self, event: Any) -> None:
        self._show_drop_target(-1, 0)

    def dropEvent(self, event: QDropEvent) -> None:
        entry = self.entries.entry(self.indexAt(event.position().toPoint()))
        flows = dragged_flows(event.mimeData())
        self._show_drop_target(-1, 0)
        if entry is not None and entry.takes_flows and flows:
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
    """Stands on the heading's row and holds its button at the right."""

    def __init__(self) -> None:
        super().__init__()
        self.add = IconButton("plus", "New folder", self, small=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.add.move(self.width() - theme().px(26), self.height() - theme().px(30))
