"""The Folders tab: the table of folders and the pane of the selected one."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.names import PERMANENT_DELETE_WARNING
from patchbay.desktop.core.navigation import Place
from patchbay.desktop.core.services import Services
from patchbay.desktop.folders.detail import FolderPane
from patchbay.desktop.folders.table import FoldersTable
from patchbay.desktop.folders.view_models.folders import FoldersViewModel
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, set_available
from patchbay.desktop.kit.dialogs import confirm
from patchbay.desktop.kit.layout import ListAndPane, line, surface
from patchbay.desktop.kit.line_edit import SearchField
from patchbay.desktop.kit.list_states import ListStack
from patchbay.desktop.kit.shortcuts import RENAME
from patchbay.desktop.kit.tab_view import TabView
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.domain.base import FolderId
from patchbay.domain.errors import AppError


class FoldersTab(TabView):
    """Folders with statistics; rename, delete with undo, and add flows."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.folders = FoldersViewModel(services, self)
        self.search = SearchField(tr("Filter folders"), key_cap="/")
        self.delete = Button(tr("Delete"))
        self.rename = Button(tr("Rename"))
        self.new = Button(tr("New folder"), "primary", "plus")
        self.table = FoldersTable(self.folders, services.clock)
        self.rows = ListStack(self.table)
        self.note = Label(
            tr("Deleting a folder doesn't delete its flows. They move to Uncategorised and keep running."),
            "caption",
            "text_secondary",
            wrap=True,
        )
        self.pane = FolderPane(self.folders, services)
        self._lay_out()
        self.search.text_changed.connect(self.folders.filter)
        self.new.clicked.connect(lambda: self.folders.create())
        self.rename.clicked.connect(self.table.rename)
        self.delete.clicked.connect(self._delete)
        self.table.delete_requested.connect(self._delete)
        self.table.opened.connect(lambda: self.folders.open_in_flows())
        self.pane.rename_requested.connect(self.table.rename)
        self.pane.delete_requested.connect(self._delete)
        self.folders.rows_changed.connect(self._show)
        self.folders.selection_changed.connect(self._show_actions)
        self.folders.failed.connect(self._show_error)
        self.rows.show_page().show_loading(tr("Loading folders"))
        self.pane.hide()

    def activate(self) -> None:
        self.folders.load()
        self.rows.enter()

    def go(self, place: Place) -> None:
        """Select the folder `id`."""
        self.folders.load()
        if place.id is not None:
            self.folders.select(FolderId(place.id))

    def focus_filter(self) -> None:
        self.rows.cancel_focus_request()
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if RENAME.matches(event) and not self.folders.unavailable_reason:
            self.table.rename()
        elif event.key() == Qt.Key.Key_Slash:
            self.focus_filter()
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        surface(self, "surface")
        px = theme().px
        self.search.setMaximumWidth(px(220))
        self.search.setMinimumWidth(px(110))
        self.rename.setToolTip(tr("Rename (F2)"))
        bar = hbox(
            (self.search, 20),
            Stretch(),
            self.delete,
            self.rename,
            self.new,
            margins=(16, 0, 16, 0),
            spacing=8,
        )
        head = QWidget()
        head.setFixedHeight(px(48))
        head.setLayout(bar)
        left = QWidget()
        vbox(head, line(), (self.rows, 1), vbox(self.note, margins=(16, 10, 16, 12)), parent=left, spacing=0)
        vbox(ListAndPane(left, self.pane, max_pane_width=560), parent=self)

    def _delete(self) -> None:
        """Delete the selected folder; confirm first if its flows can't be moved back."""
        if self.folders.unavailable_reason:
            return
        row = self.folders.row
        if row is None or not row.stats.flows or self.folders.edit_disabled_reason is None:
            self.folders.delete(self.folders.selected)
            return
        delete = partial(self.folders.delete, row.key)
        confirm(
            self,
            tr("Delete “{name}”?", name=row.name),
            PERMANENT_DELETE_WARNING,
            tr("Delete folder"),
            True,
            delete,
        )

    def _show(self) -> None:
        if self.folders.text != self.search.text():
            self.search.setText(self.folders.text)
        folders_shown = [row for row in self.folders.rows if row.folder]
        if self.folders.text and not self.folders.shown:
            self.rows.show_page().show_no_match(
                self.search.clear, tr("No matching folders"), tr("No folder name contains this text.")
            )
        elif not folders_shown:
            self.rows.show_page().show_empty(
                "folder",
                tr("No folders yet"),
                tr("Group related flows. Each folder has its own statistics."),
                []
                if self.folders.unavailable_reason
                else [(tr("New folder"), lambda: self.folders.create(), "plus")],
            )
        else:
            self.rows.show_rows()
        self.note.setVisible(bool(folders_shown))
        self.pane.setVisible(bool(folders_shown))
        self._show_actions()

    def _show_actions(self) -> None:
        row = self.folders.row
        unavailable_reason = self.folders.unavailable_reason
        no_folder_selected = (
            None if row is not None and row.folder is not None else tr("Select one of your folders first.")
        )
        set_available(self.delete, unavailable_reason or no_folder_selected)
        set_available(self.rename, unavailable_reason or no_folder_selected, tr("Rename (F2)"))
        set_available(self.new, unavailable_reason)

    def _show_error(self, error: AppError) -> None:
        self.pane.hide()
        self.rows.show_page().show_error(error, self.folders.refresh)
