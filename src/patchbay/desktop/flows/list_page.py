"""The list of flows: folder sidebar, toolbar, rows, and bulk actions."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QSplitter, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.page_window import ListStatus
from patchbay.desktop.core.services import Services
from patchbay.desktop.flows.flow_list import FlowListHeader, FlowListView
from patchbay.desktop.flows.flow_rows import FlowDelegate, FlowListModel
from patchbay.desktop.flows.folder_list import FolderSidebar
from patchbay.desktop.flows.list_actions import FlowActions
from patchbay.desktop.flows.list_toolbar import BulkActionBar, ListToolbar
from patchbay.desktop.flows.view_models.commands import FlowCommands
from patchbay.desktop.flows.view_models.flow_list import FlowsViewModel, SidebarPlace
from patchbay.desktop.flows.view_models.folders import FlowFolders
from patchbay.desktop.flows.view_models.import_export import FlowFiles
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.layout import line, surface
from patchbay.desktop.kit.list_states import ListStack
from patchbay.desktop.kit.text import Label, plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.backend import Feature
from patchbay.domain.base import FlowId, FolderId
from patchbay.domain.folders import Template

EDIT_COMMANDS = ("pause", "resume", "move", "duplicate")
"""Commands that need a workspace in which flows can be edited."""


READ_COMMANDS = ("open", "export")
"""Commands that don't change anything."""


class FlowListPage(QWidget):
    """The list page of the Flows tab. `opened(flow id)` requests the editor."""

    opened = Signal(str)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self.flows = FlowsViewModel(services, self)
        self.commands = FlowCommands(services, self.flows, self)
        self.folders = FlowFolders(services, self.flows, self)
        self.files = FlowFiles(services, self.flows, self)
        self.flow_actions = FlowActions(self, self.flows, self.commands, self.folders, self.files, services)
        self.model = FlowListModel(services.clock, self)
        self.delegate = FlowDelegate(services.apps, services.clock, self)
        self.view = FlowListView(self.model, self.delegate)
        self.side = FolderSidebar()
        self.toolbar = ListToolbar(self.flows, services.apps)
        self.header = FlowListHeader()
        self.stack = ListStack(self.view)
        self.bulk = BulkActionBar()
        self.setAcceptDrops(True)
        self._lay_out()
        self._connect_state()
        self._templates = LatestRequest(services.tasks, self)
        self._has_templates = False
        self._connect_widgets()
        self._show()

    # Building

    def _lay_out(self) -> None:
        px = theme().px
        left = QWidget()
        surface(left, "sidebar")
        self._hint = Label(
            tr("Drag flows to a folder, or press M to choose one."), "caption", "text_tertiary", wrap=True
        )
        self._hint.setContentsMargins(px(16), 0, px(16), 0)
        vbox((self.side, 1), self._hint, parent=left, margins=(0, 12, 0, 12))
        right = QWidget()
        surface(right, "surface")
        vbox(self.toolbar, line(), self.header, (self.stack, 1), self.bulk, parent=right, spacing=0)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(left)
        self.splitter.addWidget(right)
        self.splitter.setStretchFactor(1, 1)
        left.setMinimumWidth(px(160))
        left.setMaximumWidth(px(320))
        self.splitter.setSizes([px(216), px(1064)])
        hbox(self.splitter, parent=self)

    def _connect_state(self) -> None:
        self.flows.changed.connect(self._show)
        self.flows.selection_changed.connect(self._show_selection)
        self.flows.refreshing_changed.connect(self.stack.set_refreshing)
        self._services.apps.changed.connect(self._show)
        self.commands.opened.connect(self.opened)
        self.files.imported.connect(
            lambda flows_imported: (
                self.opened.emit(flows_imported[0].id) if len(flows_imported) == 1 else None
            )
        )
        self.folders.created.connect(self._folder_created)

    def _connect_widgets(self) -> None:
        view = self.view
        side = self.side
        bar = self.toolbar
        view.opened.connect(self.opened)
        view.rows_resized.connect(self.header.set_row_width)
        view.publish_toggled.connect(self._toggle_published)
        view.menu_requested.connect(self._open_menu)
        view.selection_edited.connect(self.flows.select)
        view.rename_requested.connect(self._rename)
        view.move_requested.connect(lambda: self._run_bulk_command("move"))
        view.delete_requested.connect(lambda: self._run_bulk_command("delete"))
        view.escaped.connect(self.flows.clear_selection)
        self.delegate.renamed.connect(self.commands.rename)
        self.header.sort_requested.connect(self.flows.sort_by)
        side.chosen.connect(lambda place: self.flows.update_filter(place=place))
        side.dropped.connect(self._move_dropped)
        side.new_requested.connect(lambda: self.folders.create())
        side.delete_requested.connect(self.flow_actions.delete_folder)
        side.menu_requested.connect(
            lambda key, at: self.flow_actions.folder_menu(key, at, rename=side.rename)
        )
        side.delegate.renamed.connect(self.folders.rename)
        bar.search.returnPressed.connect(self._open_only_match)
        bar.import_requested.connect(self.flow_actions.choose_import)
        bar.new_requested.connect(self.create_flow)
        bar.template_requested.connect(lambda: self._services.navigator.go(Place(Tab.TEMPLATES)))
        self.bulk.command_requested.connect(self._run_bulk_command)
        self.bulk.cleared.connect(self.flows.clear_selection)

    # Commands

    def _open_only_match(self) -> None:
        """Open the flow if it is the only one that matches the text of the filter (Enter)."""
        rows = self.flows.rows
        if self.flows.where.text and len(rows) == 1:
            self.opened.emit(rows[0].id)

    def create_flow(self) -> None:
        """Create a flow in the shown folder, or in none if flows can't be moved into folders."""
        if self._notify_unavailable(Feature.CHANGES):
            return
        can_move = self.flows.reason(Feature.EDIT_FLOWS) is None
        self.commands.create(self.flows.where.folder_id if can_move else None)

    def targets(self) -> tuple[FlowId, ...]:
        """Return the flows a command applies to: the selected ones, or the current row."""
        current = self.view.current_id()
        return self.flows.selected or ((current,) if current else ())

    def _notify_unavailable(self, feature: Feature) -> bool:
        """Return whether the workspace lacks a feature, and show the reason if so."""
        if (reason := self.flows.reason(feature)) is not None:
            self._services.notices.post(reason)
        return reason is not None

    def _rename(self, flow_id: FlowId) -> None:
        if not self._notify_unavailable(Feature.EDIT_FLOWS):
            self.view.rename(flow_id)

    def _toggle_published(self, flow_id: FlowId) -> None:
        if self._notify_unavailable(Feature.CHANGES):
            return
        if flow := self.flows.flow(flow_id):
            self.commands.set_published((flow_id,), not flow.active)

    def _open_menu(self, flow_id: FlowId, at: QPoint) -> None:
        chosen = self.flows.selected if self.flows.is_selected(flow_id) else (flow_id,)
        self.flow_actions.menu(chosen, at, open_flow=self.opened.emit, rename=self.view.rename)

    def _run_bulk_command(self, command: str) -> None:
        flow_ids = self.targets()
        feature_needed = Feature.EDIT_FLOWS if command in EDIT_COMMANDS else Feature.CHANGES
        if command not in READ_COMMANDS and self._notify_unavailable(feature_needed):
            return
        anchor: QWidget = self.bulk.buttons["move"] if self.bulk.isVisible() else self.view
        run: dict[str, Any] = {
            "open": lambda: self.opened.emit(flow_ids[0]),
            "publish": lambda: self.commands.set_published(flow_ids, True),
            "unpublish": lambda: self.commands.set_published(flow_ids, False),
            "pause": lambda: self.commands.set_paused(flow_ids, True),
            "resume": lambda: self.commands.set_paused(flow_ids, False),
            "move": lambda: self.flow_actions.choose_folder(flow_ids, anchor),
            "duplicate": lambda: self.commands.duplicate(flow_ids),
            "export": lambda: self.flow_actions.export(flow_ids),
            "delete": lambda: self.flow_actions.delete(flow_ids),
        }
        run[command]()

    def _move_dropped(self, place: str, flow_ids: tuple[FlowId, ...]) -> None:
        if self._notify_unavailable(Feature.EDIT_FLOWS):
            return
        self.commands.move(flow_ids, None if place == SidebarPlace.UNCATEGORISED else FolderId(place))
        self.flows.clear_selection()

    def _folder_created(self, folder_id: FolderId) -> None:
        self.side.rename(folder_id)

    # Showing

    def _show(self) -> None:
        flows = self.flows
        self.side.show_entries(self.folders.fixed_entries(), self.folders.folders(), flows.where.place)
        self.toolbar.show_state()
        self.header.show_sort(flows.sort, flows.descending)
        self.view.show_rows(flows.rows, flows.selected)
        reason = flows.reason(Feature.EDIT_FLOWS)
        self.toolbar.set_availability(flows.reason(Feature.CHANGES), reason)
        self._hint.setVisible(reason is None)
        for command in EDIT_COMMANDS:
            self.bulk.buttons[command].setEnabled(reason is None)
            self.bulk.buttons[command].setToolTip(plain_tip(reason or ""))
        self._show_status()
        self._show_selection()

    def _show_status(self) -> None:
        status = self.flows.status
        self.header.setVisible(status is ListStatus.READY)
        if status is ListStatus.READY:
            self.stack.show_rows()
            return
        page = self.stack.show_page()
        if status is ListStatus.LOADING:
            page.show_loading(tr("Loading flows"))
        elif status is ListStatus.FAILED and self.flows.error is not None:
            page.show_error(self.flows.error, self.flows.load)
        elif status is ListStatus.EMPTY:
            self._show_empty_workspace()
            self._templates.run(
                self._services.backend.list_templates(), done=self._templates_listed, failed=lambda _: None
            )
        else:
            self._show_no_match()

    def _templates_listed(self, found: tuple[Template, ...]) -> None:
        if bool(found) is not self._has_templates:
            self._has_templates = bool(found)
            if self.flows.status is ListStatus.EMPTY:
                self._show_empty_workspace()

    def _show_empty_workspace(self) -> None:
        """Suggest what to do first. Without templates, offer an import in their place."""
        go = self._services.navigator.go
        choose = (tr("Choose a template"), lambda: go(Place(Tab.TEMPLATES)), "layout-template")
        import_button = (tr("Import flows…"), self.flow_actions.choose_import)
        suggestions = [
            choose if self._has_templates else import_button,
            (tr("Connect an app"), lambda: go(Place(Tab.MY_APPS)), "blocks"),
        ]
        self.stack.page.show_empty(
            "workflow",
            tr("No flows yet"),
            tr(
                "A flow watches one app and acts in others: “When an issue is opened, add a task”. "
                "Build one from scratch, start with a template, or connect an app first. "
                "You can also drop an exported flow here."
            ),
            [(tr("New flow"), self.create_flow, "plus"), *suggestions],
        )

    def _show_no_match(self) -> None:
        page, where = self.stack.page, self.flows.where
        if where.is_filtered:
            explanation = (
                tr("No flow name contains “{text}”.", text=where.text)
                if where.text
                else tr("No flow matches all the filters.")
            )
            page.show_no_match(self.flows.clear_filter, tr("No matching flows"), explanation)
        elif where.place == SidebarPlace.ATTENTION and (reason := self.flows.attention_unavailable_reason):
            page.show_empty("info", tr("Not available"), reason)
        elif where.place == SidebarPlace.ATTENTION:
            page.show_empty(
                "circle-check",
                tr("Nothing needs attention"),
                tr("No known problem prevents a flow from running."),
            )
        else:
            self._show_empty_folder()

    def _show_empty_folder(self) -> None:
        page, can_edit = self.stack.page, self.flows.reason(Feature.EDIT_FLOWS) is None
        buttons = [(tr("New flow"), self.create_flow, "plus")] if can_edit else []
        text = (
            tr("Drag flows here, or create one.")
            if can_edit
            else tr("You can only move flows here on the server.")
        )
        page.show_empty("folder", tr("This folder is empty"), text, buttons)

    def _show_selection(self) -> None:
        flows = self.flows
        chosen = [flow for key in flows.selected if (flow := flows.flow(key))]
        self.view.show_selection(flows.selected)
        self.bulk.show_selection(tuple(flow.status for flow in chosen), flows.reason(Feature.CHANGES))

    # A file dropped on the page

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped_file(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path, reason = _dropped_file(event), self.flows.reason(Feature.EDIT_FLOWS)
        if path is not None and reason is None:
            event.acceptProposedAction()
            self.flow_actions.read_file(path)
        elif reason is not None:
            self._services.notices.post(reason)


def _dropped_file(event: QDropEvent) -> Path | None:
    urls = event.mimeData().urls()
    return Path(urls[0].toLocalFile()) if len(urls) == 1 and urls[0].isLocalFile() else None
