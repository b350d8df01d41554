"""The apps at the left: a list grouped by health, or a grid of three columns."""

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QWidget

from patchbay.desktop.state.my_apps_rows import AppRow, Section
from patchbay.desktop.ui.my_apps.app_list_model import ENTRY_ROLE, AppListModel
from patchbay.desktop.ui.my_apps.app_painting import AppDelegate
from patchbay.domain.base import AppKey

_CursorAction = QAbstractItemView.CursorAction
_STEP_BY_MOVE = {
    _CursorAction.MoveLeft: -1,
    _CursorAction.MoveRight: 1,
    _CursorAction.MovePrevious: -1,
    _CursorAction.MoveNext: 1,
}


class AppList(QListView):
    """One app is selected at a time; headings are skipped by the arrow keys."""

    chosen = Signal(str)
    rename_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = AppListModel(self)
        self.setModel(self.rows)
        self._delegate = AppDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setAccessibleName("Apps")
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(self._current_changed)

    @property
    def grid(self) -> bool:
        return self._delegate.grid

    def set_grid(self, grid: bool) -> None:
        """Show tiles in three columns, or rows."""
        if grid == self.grid:
            return
        self._delegate.grid = grid
        self.setFlow(QListView.Flow.LeftToRight if grid else QListView.Flow.TopToBottom)
        self.setWrapping(grid)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        # The width of the tiles depends on whether the bar is there; it must not come and go with them.
        on, as_needed = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.setVerticalScrollBarPolicy(on if grid else as_needed)
        self.doItemsLayout()
        self.scrollTo(self.currentIndex())

    def set_sections(self, sections: tuple[Section, ...], selected: AppKey) -> None:
        """Show these and which app is selected, without saying so again."""
        self.blockSignals(True)
        self.rows.set_sections(sections)
        self.select(selected)
        self.blockSignals(False)

    def select(self, key: AppKey) -> None:
        """Show which app is selected."""
        row = self.rows.row_of(key)
        index = self.rows.index(row)
        if row >= 0 and not self.selectionModel().isSelected(index):
            self.setCurrentIndex(index)

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """In the grid, left and right go on to the next line of tiles."""
        if self.grid and action in _STEP_BY_MOVE:
            row = self.rows.next_app(self.currentIndex().row(), _STEP_BY_MOVE[action])
            return self.rows.index(row) if row >= 0 else self.currentIndex()
        return super().moveCursor(action, modifiers)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_F2:
            self.rename_requested.emit()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.grid:
            self.scheduleDelayedItemsLayout()

    def _current_changed(self, current: QModelIndex) -> None:
        entry = current.data(ENTRY_ROLE)
        if isinstance(entry, AppRow):
            self.chosen.emit(entry.app.key)
