"""The My Apps tab: toolbar, list of apps, and the page of the selected app."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QSplitter, QWidget

from patchbay.desktop.core.language import number_text, tr
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.services import Services
from patchbay.desktop.kit.accessibility import AccessibleMixin
from patchbay.desktop.kit.actions import Action
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.browser import open_in_browser
from patchbay.desktop.kit.buttons import Button, IconButton, set_available
from patchbay.desktop.kit.chips import FilterChip
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.layout import line, surface
from patchbay.desktop.kit.line_edit import SearchField
from patchbay.desktop.kit.list_states import ListStack
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.rate_limit_dialogs import ConnectionLimitDialog
from patchbay.desktop.kit.tab_view import TabView
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.my_apps.app_list import AppList
from patchbay.desktop.my_apps.app_page import AppPage
from patchbay.desktop.my_apps.app_picker import AppPicker
from patchbay.desktop.my_apps.connection_card import DeleteConnectionDialog, RenameConnectionDialog
from patchbay.desktop.my_apps.connection_dialog import ConnectionDialog
from patchbay.desktop.my_apps.view_models.app_list import SortOrder
from patchbay.desktop.my_apps.view_models.connection_form import ConnectionFormViewModel, OpenUrl
from patchbay.desktop.my_apps.view_models.my_apps import MyAppsViewModel
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.backend import WorkspaceInfo
from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.connections import Connection
from patchbay.domain.errors import AppError
from patchbay.domain.executions import ExecutionFilter, ExecutionState
from patchbay.domain.flows import FlowFilter

_ORDER_OPTIONS = ((SortOrder.RECENT, tr("Recently used")), (SortOrder.NAME, tr("Name")))


class _LayoutButton(AccessibleMixin, IconButton):
    """A button for one of the two layouts."""

    accessible_role = QAccessible.Role.RadioButton


class AppToolbar(QWidget):
    """The toolbar above the apps; its state lives in the view-model."""

    def __init__(self, model: MyAppsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.filter = SearchField(tr("Filter apps"), key_cap="/")
        self.filter.text_changed.connect(model.set_text)
        self.list_button, self.grid_button = (
            _LayoutButton("list", tr("Show as list")),
            _LayoutButton("layout-grid", tr("Show as grid")),
        )
        for button, grid in ((self.list_button, False), (self.grid_button, True)):
            button.setCheckable(True)
            button.setChecked(model.grid is grid)
            button.clicked.connect(lambda _=False, grid=grid: model.set_grid(grid))
        self.test_all = Button(tr("Test all"))
        self.test_all.clicked.connect(self._toggle_test)
        self.category = FilterChip(tr("Category"))
        self.category.value_changed.connect(lambda value: model.set_category(value or ""))
        self.order = FilterChip(tr("Sort by"), unset=tr("Problems first"), filters=False)
        self.order.set_options(list(_ORDER_OPTIONS))
        if model.order is not SortOrder.HEALTH:
            self.order.set_value(model.order)
        self.order.value_changed.connect(lambda value: model.set_order(value or SortOrder.HEALTH))
        self.progress = Label("", "caption", "text_secondary")
        self._lay_out()
        model.busy_changed.connect(self.show_progress)

    def show_options(self) -> None:
        """Show the current layout and the available categories."""
        self.grid_button.setChecked(self._model.grid)
        self.list_button.setChecked(not self._model.grid)
        self.category.set_options([(name, name) for name in self._model.categories])
        no_connections = None if self._model.has_connections else tr("There are no connections to test yet.")
        set_available(self.test_all, no_connections)

    def show_progress(self) -> None:
        """Show the progress of testing all connections."""
        test_round = self._model.test_run
        self.test_all.setText(tr("Stop", "button, ends a test") if test_round.running else tr("Test all"))
        self.test_all.setAccessibleName(tr("Stop testing") if test_round.running else tr("Test all"))
        number = min(test_round.done + 1, test_round.total)
        text = tr("Testing {n} of {total}", n=number_text(number), total=number_text(test_round.total))
        self.progress.setText(text if test_round.running else "")
        self.progress.setVisible(test_round.running)

    def clear(self) -> None:
        """Clear search and category."""
        self.filter.clear()
        self.category.clear()

    def _toggle_test(self) -> None:
        self._model.cancel_test_all() if self._model.testing_all else self._model.test_all()

    def _lay_out(self) -> None:
        views = hbox(self.list_button, self.grid_button, spacing=2)
        vbox(
            hbox((self.filter, 1), views, self.test_all, spacing=8),
            hbox(self.category, self.order, Stretch(), self.progress, spacing=8),
            parent=self,
            margins=(16, 9, 16, 9),
            spacing=8,
        )


# Tab

_DEMO_NOTICE = (
    tr("These are sample connections."),
    tr(
        "They belong to the demo's fictional company. Nothing is sent to any app: the demo responds instead, "
        "and rejects keys that contain “wrong”."
    ),
)
_FIRST_NOTE = (
    tr("No connections yet"),
    tr("Choose an app in the list and connect it. Or start with a template, which shows what to connect."),
)


class MyAppsTab(TabView):
    """The My Apps tab. `open_url` opens the system browser."""

    def __init__(
        self, services: Services, parent: QWidget | None = None, *, open_url: OpenUrl = open_in_browser
    ) -> None:
        super().__init__(parent)
        self.services, self._open_url = services, open_url
        self.model = MyAppsViewModel(services, self)
        self.dialog: Dialog | None = None
        self._web_page = ""
        surface(self, "surface")
        self.bar = AppToolbar(self.model)
        self.filter = self.bar.filter
        self.list = AppList()
        self.list.set_grid(self.model.grid)
        self.list.chosen.connect(self.model.select)
        self.list.rename_requested.connect(self._rename_single)
        self.stack = ListStack(self.list)
        self.page = AppPage(services, self.model)
        self._lay_out()
        self._connect_page()
        self.model.rows_changed.connect(self._show_rows)
        self.model.selection_changed.connect(lambda: self.list.select(self.model.selected))
        self.model.busy_changed.connect(lambda: self.stack.set_refreshing(self.model.testing_all))
        self.model.failed.connect(self._show_error)
        self._workspace_info = LatestRequest(services.tasks, self)
        services.feed.changed.connect(self._on_change)
        self.stack.show_page().show_loading(tr("Loading apps"))
        self.page.hide()

    def activate(self) -> None:
        self._load_workspace_info()
        if self.model.unavailable_reason:
            self.show_missing(self.model.unavailable_reason)
        else:
            self.model.load()
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def shows(self, place: Place) -> bool:
        return place.id is not None and self.model.selected == place.id and self.page.isVisible()

    def focus_filter(self) -> None:
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def go(self, place: Place) -> None:
        """Handle `add` with an app key (opens the form) and `reconnect` with a connection ID."""
        if self.model.unavailable_reason:
            return
        self.model.load()
        if place.section == "add":
            self.add(AppKey(place.id)) if place.id else self.pick_app()
        elif place.section == "reconnect" and place.id:
            work = self.services.backend.get_connection(ConnectionId(place.id))
            self.services.tasks.run(self, work, done=self.reconnect, failed=self.services.notices.failed)
        elif place.id:
            self.model.select(AppKey(place.id))

    def commands(self) -> tuple[Action, ...]:
        """Return the commands for the command palette."""
        if self.model.unavailable_reason:
            return ()
        return (
            Action("apps.connect", tr("Connect an app…"), self.pick_app, "plus", hint=tr("My Apps")),
            Action(
                "apps.test", tr("Test all connections"), self.model.test_all, "refresh-cw", hint=tr("My Apps")
            ),
        )

    # Dialogs

    def pick_app(self) -> None:
        """Choose an app, then open the connection form."""
        picker = AppPicker(self.services, self, self.model.last_used)
        picker.chosen.connect(self.add)
        self.show_dialog(picker)

    def add(self, app_key: AppKey, *, guide: bool = False) -> ConnectionDialog:
        form = ConnectionFormViewModel(self.services, app_key, open_url=self._open_url)
        return self.open_form(form, guide=guide)

    def reconnect(self, connection: Connection) -> ConnectionDialog:
        form = ConnectionFormViewModel(self.services, connection.app_key, connection, open_url=self._open_url)
        return self.open_form(form)

    def rename(self, connection: Connection) -> None:
        """Ask for a new name of a connection."""

        def renamed(name: str) -> None:
            self.model.rename(connection.id, name)

        self.show_dialog(RenameConnectionDialog(self, connection, renamed))

    def limit(self, connection: Connection) -> None:
        """Open the rate limit dialog, which also shows the app's limit."""
        app = self.services.apps.get(connection.app_key)
        name = app.name if app else connection.app_key
        dialog = ConnectionLimitDialog(
            self, connection, name, lambda limit: self.model.limit(connection, limit)
        )
        self.show_dialog(dialog)
        self.model.read_app_limit(connection.app_key, dialog.set_app_limit, dialog)

    def delete(self, connection: Connection) -> None:
        """Confirm deleting a connection; it can be undone from the toast."""
        flows = self.model.flows.get(connection.id, ())
        self.show_dialog(
            DeleteConnectionDialog(self, connection, flows, lambda: self.model.delete(connection))
        )

    def open_form(self, form: ConnectionFormViewModel, *, guide: bool = False) -> ConnectionDialog:
        """Open the connection dialog, with the set-up guide if requested."""
        dialog = ConnectionDialog(form, self)
        dialog.connected.connect(self._on_connected)
        dialog.settings_requested.connect(self.services.navigator.open_settings)
        self.show_dialog(dialog)
        form.load()
        if guide:
            dialog.toggle_guide()
        return dialog

    def show_dialog(self, dialog: Dialog) -> None:
        """Open a dialog that is deleted when closed."""
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(self._dialog_closed)
        self.dialog = dialog
        dialog.open()

    def _rename_single(self) -> None:
        """Rename the connection of the selected app, if it has just one (F2)."""
        row = self.model.row
        if row is not None and len(row.connections) == 1:
            self.rename(row.connections[0])

    def _dialog_closed(self) -> None:
        if self.sender() is self.dialog:
            self.dialog = None

    def _on_connected(self, connection: Connection) -> None:
        self.services.notices.post(tr("“{name}” is connected", name=connection.screen_name))
        self.model.select(connection.app_key)
        self.model.refresh()

    # How it is laid out and kept up to date

    def _lay_out(self) -> None:
        px = theme().px
        left = QWidget()
        self._divider = line()
        vbox(self.bar, self._divider, (self.stack, 1), parent=left, spacing=0)
        left.setMinimumWidth(px(360))
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(left)
        splitter.addWidget(self.page)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([px(424), px(856)])
        self.demo_note = QWidget()
        vbox(MessageBox("neutral", *_DEMO_NOTICE), parent=self.demo_note, margins=(16, 10, 16, 10))
        self.demo_note.hide()
        choose = (tr("Choose a template"), lambda: self.services.navigator.go(Place(Tab.TEMPLATES)))
        self.first_note = QWidget()
        vbox(MessageBox("neutral", *_FIRST_NOTE, [choose]), parent=self.first_note, margins=(16, 10, 16, 10))
        self.first_note.hide()
        vbox(self.demo_note, self.first_note, (splitter, 1), parent=self, spacing=0)

    def _connect_page(self) -> None:
        page, go = self.page, self.services.navigator.go
        page.add_requested.connect(lambda: self.add(self.model.selected))
        page.guide_requested.connect(lambda: self.add(self.model.selected, guide=True))
        page.reconnect_requested.connect(self.reconnect)
        page.rename_requested.connect(self.rename)
        page.limit_requested.connect(self.limit)
        page.duplicate_requested.connect(self.model.duplicate)
        page.delete_requested.connect(self.delete)
        page.settings_requested.connect(self.services.navigator.open_settings)
        page.flow_requested.connect(lambda key: go(Place(Tab.FLOWS, key, "editor")))
        page.flows_requested.connect(
            lambda item: go(Place(Tab.FLOWS, where=FlowFilter(connection_id=item.id)))
        )
        page.failures_requested.connect(
            lambda item: go(
                Place(
                    Tab.EXECUTIONS,
                    where=ExecutionFilter(app_key=item.app_key, states=(ExecutionState.FAILURE,)),
                )
            )
        )

    def _show_rows(self) -> None:
        self.list.set_grid(self.model.grid)
        self._set_bar_visible(True)
        self.first_note.setVisible(self.model.loaded and not self.model.has_connections)
        self.bar.show_options()
        self.list.set_sections(self.model.sections, self.model.selected)
        self.page.setVisible(bool(self.model.rows) and self.model.row is not None)
        if self.model.rows:
            self.stack.show_rows()
        elif self.model.text or self.model.category:
            self.stack.show_page().show_no_match(self.bar.clear, tr("No matching apps"))
        else:
            self.stack.show_page().show_empty(
                "blocks", tr("No apps here"), tr("This workspace has no apps to connect.")
            )

    def _set_bar_visible(self, on: bool) -> None:
        self.bar.setVisible(on)
        self._divider.setVisible(on)

    def _show_error(self, error: AppError) -> None:
        if self.model.unavailable_reason:
            self.show_missing(self.model.unavailable_reason)
        else:
            self.stack.show_page().show_error(error, self.model.refresh)

    def _load_workspace_info(self) -> None:
        self._workspace_info.run(
            self.services.backend.info(), done=self._show_workspace_info, failed=lambda _: None
        )

    def _on_change(self, change: Change) -> None:
        """Show whether secrets can be used."""
        if change.noun in (ResourceType.WORKSPACE, ResourceType.CONNECTION) and self.isVisible():
            self._load_workspace_info()

    def _show_workspace_info(self, info: WorkspaceInfo) -> None:
        self._web_page = (info.address or "").removesuffix("/api")
        self.page.set_secrets_location(info)
        self.demo_note.setVisible(info.kind == "demo")

    def show_missing(self, reason: str) -> None:
        """Show that connections are managed on the server, with a link."""
        self._set_bar_visible(False)
        self.page.hide()
        title = tr("Connections are managed on the server")
        open_page = [(tr("Open web interface"), lambda: self._open_url(self._web_page), "external-link")]
        page = self.stack.show_page()
        page.show_empty("blocks", title, reason, open_page)
        page.findChildren(Button)[-1].setFocus(Qt.FocusReason.OtherFocusReason)
