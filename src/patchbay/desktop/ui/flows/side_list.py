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
from patchbay.desktop.ui.flows.side_delegate import SideDelegate
from patchbay.desktop.ui.flows.side_model import SideModel
from patchbay.desktop.ui.kit.buttons import IconButton
from patchbay.desktop.ui.kit.theme import theme


class SideList(QListView):
    """`chosen(place)` when an entry is selected; `dropped(place, flows)` when flows were dropped on one."""

    chosen = Signal(str)
    dropped = Signal(str, object)
    new_wanted = Signal()
    delete_wanted = Signal(str)
    menu_wanted = Signal(str, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entries = SideModel(self)
        self.delegate = SideDelegate(self)
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
        self.entries.modelReset.connect(self._place_button)

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
            self.delete_wanted.emit(folder)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        entry = self.entries.entry(index)
        if entry is not None and entry.folder is not None:
            self.menu_wanted.emit(entry.place, event.globalPos())

    # Drop target

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dragged_flows(event.mimeData()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        entry = self.entries.entry(index)
        flows = dragged_flows(event.mimeData())
        allowed = bool(flows) and entry is not None and entry.takes_flows
        self._aim(index.row() if allowed else -1, len(flows))
        event.accept() if allowed else event.ignore()

    def dragLeaveEvent(self, event: Any) -> None:
        self._aim(-1, 0)

    def dropEvent(self, event: QDropEvent) -> None:
        entry = self.entries.entry(self.indexAt(event.position().toPoint()))
        flows = dragged_flows(event.mimeData())
        self._aim(-1, 0)
        if entry is not None and entry.takes_flows and flows:
            self.dropped.emit(entry.place, flows)
            event.acceptProposedAction()

    def _aim(self, row: int, flows: int) -> None:
        self.delegate.target, self.delegate.dragged = row, flows
        self.viewport().update()

    # The + beside the heading

    def _place_button(self) -> None:
        row = self.entries.heading_row
        if row >= 0:
            holder = _Heading()
            holder.add.clicked.connect(self.new_wanted)
            self.setIndexWidget(self.entries.index(row), holder)


class _Heading(QWidget):
    """Stands on the heading's row and holds its button at the right."""

    def __init__(self) -> None:
        super().__init__()
        self.add = IconButton("plus", "New folder", self, small=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.add.move(self.width() - theme().px(26), self.height() - theme().px(30))
