"""The tab itself: the list of apps at the left, the page of the selected one at the right."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QTextBrowser, QVBoxLayout, QWidget

from patchbay.desktop.state.connection_form import ConnectionFormViewModel, FormState
from patchbay.desktop.state.my_apps import MyAppsViewModel
from patchbay.desktop.state.navigation import Place, Tab
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.dialogs import Dialog, confirm
from patchbay.desktop.ui.kit.inputs import FormField, LineEdit, SearchField
from patchbay.desktop.ui.kit.states import ListStack
from patchbay.desktop.ui.kit.surface import line, surface
from patchbay.desktop.ui.kit.tab import Scene, TabView
from patchbay.desktop.ui.kit.text import count
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.my_apps.app_list import AppList
from patchbay.desktop.ui.my_apps.app_page import AppPage
from patchbay.desktop.ui.my_apps.connection_dialog import ConnectionDialog
from patchbay.desktop.ui.my_apps.picker_dialog import AppPicker
from patchbay.domain.backend import WorkspaceInfo
from patchbay.domain.base import AppKey
from patchbay.domain.connections import Connection, Health
from patchbay.domain.errors import AppError
from patchbay.domain.executions import ExecutionFilter, ExecutionState
from patchbay.domain.flows import FlowFilter


class MyAppsTab(TabView):
    """Everything a person does with connections."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self.model = MyAppsViewModel(services, self)
        self.dialog: Dialog | None = None
        surface(self, "surface")
        self.filter = SearchField("Filter apps", key_cap="/")
        self.filter.text_changed.connect(self.model.set_text)
        self.test_all = Button("Test all")
        self.test_all.clicked.connect(self._toggle_test_all)
        self.list = AppList()
        self.list.chosen.connect(self.model.select)
        self.stack = ListStack(self.list)
        self.page = AppPage(services, self.model)
        self._lay_out()
        self._connect_page()
        self.model.rows_changed.connect(self._show_rows)
        self.model.selection_changed.connect(lambda: self.list.select(self.model.selected))
        self.model.busy_changed.connect(self._show_busy)
        self.model.failed.connect(self._show_error)
        self.stack.show_page().show_loading("Loading apps")
        self.page.hide()

    def activate(self) -> None:
        self.model.load()
        self._services.tasks.run(self, self._services.backend.info(), done=self._told_where)
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_filter(self) -> None:
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def go(self, place: Place) -> None:
        """`add` with an app's key opens the form; `reconnect` with a connection's id renews it."""
        self.model.load()
        if place.section == "add":
            self.add(place.id) if place.id else self.pick_app()
        elif place.section == "reconnect" and place.id:
            work = self._services.backend.get_connection(place.id)
            self._services.tasks.run(self, work, done=self.reconnect, failed=self._services.notices.failed)
        elif place.id:
            self.model.select(place.id)

    # Dialogs

    def pick_app(self) -> None:
        """Choose among all apps, then fill in the form."""
        picker = AppPicker(self._services, self)
        picker.chosen.connect(self.add)
        self._open(picker)

    def add(self, app_key: AppKey) -> ConnectionDialog:
        return self._open_form(ConnectionFormViewModel(self._services, app_key))

    def reconnect(self, connection: Connection) -> ConnectionDialog:
        return self._open_form(ConnectionFormViewModel(self._services, connection.app_key, connection))

    def rename(self, connection: Connection) -> None:
        dialog = Dialog(self, "Rename connection", 420)
        edit = LineEdit(connection.screen_name, large=True)
        edit.selectAll()
        dialog.body.addWidget(FormField("Screen Name", edit, required=True))

        def take() -> None:
            if name := edit.text().strip():
                self.model.rename(connection.id, name)
                dialog.accept()

        dialog.add_buttons("Rename", take)
        self._open(dialog)
        edit.setFocus()

    def delete(self, connection: Connection) -> None:
        """Name the flows that would break; deleting can be undone from the toast."""
        flows = self.model.flows.get(connection.id, ())
        names = ", ".join(f"“{flow.name}”" for flow in flows[:4])
        text = (
            f"{count(len(flows), 'flow')} cannot work without it: {names}." if flows else "No flow uses it."
        )
        question = f"Delete “{connection.screen_name}”?"
        self.dialog = confirm(self, question, text, "Delete", True, lambda: self.model.delete(connection))

    def show_guide(self) -> None:
        """The app's own guide to its connection."""
        app = self.page.detail
        if app is None:
            return
        dialog = Dialog(self, f"How to connect {app.name}")
        guide = QTextBrowser()
        guide.setOpenExternalLinks(True)
        guide.setFrameShape(QTextBrowser.Shape.NoFrame)
        guide.setMarkdown(app.docs_markdown)
        guide.setMinimumHeight(theme().px(320))
        guide.setAccessibleName(f"Guide to {app.name}")
        dialog.body.addWidget(guide)
        dialog.accepted.connect(lambda: self.add(app.key))
        dialog.add_buttons("Add connection", dialog.accept, cancel="Close")
        self._open(dialog)

    def _open_form(self, form: ConnectionFormViewModel) -> ConnectionDialog:
        dialog = ConnectionDialog(form, self)
        dialog.connected.connect(self._connected)
        form.load()
        self._open(dialog)
        return dialog

    def _open(self, dialog: Dialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(self._dialog_closed)
        self.dialog = dialog
        dialog.open()

    def _dialog_closed(self) -> None:
        self.dialog = None

    def _connected(self, made: Connection) -> None:
        self._services.notices.post(f"“{made.screen_name}” is connected")
        self.model.select(made.app_key)
        self.model.refresh()

    # How it is laid out and kept up to date

    def _lay_out(self) -> None:
        px = theme().px
        bar = QHBoxLayout()
        bar.setContentsMargins(px(16), px(9), px(16), px(9))
        bar.setSpacing(px(8))
        bar.addWidget(self.filter, 1)
        bar.addWidget(self.test_all)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(line())
        column.addWidget(self.stack, 1)
        left.setMinimumWidth(px(300))
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(left)
        splitter.addWidget(self.page)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([px(424), px(856)])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(splitter)

    def _connect_page(self) -> None:
        page, go = self.page, self._services.navigator.go
        page.add_asked.connect(lambda: self.add(self.model.selected))
        page.guide_asked.connect(self.show_guide)
        page.reconnect_asked.connect(self.reconnect)
        page.rename_asked.connect(self.rename)
        page.delete_asked.connect(self.delete)
        page.flow_asked.connect(lambda key: go(Place(Tab.FLOWS, key, "editor")))
        page.flows_asked.connect(lambda item: go(Place(Tab.FLOWS, where=FlowFilter(connection_id=item.id))))
        page.failures_asked.connect(
            lambda item: go(
                Place(
                    Tab.EXECUTIONS,
                    where=ExecutionFilter(app_key=item.app_key, states=(ExecutionState.FAILURE,)),
                )
            )
        )

    def _told_where(self, info: WorkspaceInfo) -> None:
        self.page.set_where(info.secrets_problem or info.secrets_kept)

    def _toggle_test_all(self) -> None:
        self.model.cancel_test_all() if self.model.testing_all else self.model.test_all()

    def _show_busy(self) -> None:
        self.test_all.setText("Stop testing" if self.model.testing_all else "Test all")

    def _show_rows(self) -> None:
        rows = self.model.rows
        self.list.rows.set_rows(rows)
        self.list.select(self.model.selected)
        if rows:
            self.stack.show_rows()
        elif self.model.text:
            self.stack.show_page().show_no_match(self.filter.clear, "No app matches")
        else:
            self.stack.show_page().show_empty(
                "blocks", "No apps here", "This workspace has no app to connect."
            )

    def _show_error(self, error: AppError) -> None:
        self.stack.show_page().show_error(error, self.model.refresh)

    # The tour

    def scenes(self) -> tuple[Scene, ...]:
        return (
            Scene("my-apps", self._pick_attention, self._page_ready),
            Scene(
                "my-apps-add-connection",
                self._tour_add,
                self._form_ready,
                self._tour_dialog,
                self._close_dialog,
            ),
            Scene(
                "my-apps-refused", self._tour_refused, self._refused, self._tour_dialog, self._close_dialog
            ),
            Scene(
                "my-apps-picker",
                self.pick_app,
                lambda: self.dialog is not None,
                self._tour_dialog,
                self._close_dialog,
            ),
        )

    def _pick_attention(self) -> None:
        if rows := self.model.rows:
            self.model.select(rows[0].app.key)

    def _page_ready(self) -> bool:
        return self.model.loaded and bool(self.page.cards) and bool(self.model.flows)

    def _tour_add(self) -> None:
        self._pick_attention()
        self.add(self.model.selected)

    def _form_ready(self) -> bool:
        return isinstance(self.dialog, ConnectionDialog) and bool(self.dialog.fields)

    def _tour_refused(self) -> None:
        row = next(
            (
                row
                for row in self.model.rows
                for item in row.connections
                if item.health is Health.NEEDS_ATTENTION
            ),
            None,
        )
        if row is None:
            return
        broken = next(item for item in row.connections if item.health is Health.NEEDS_ATTENTION)
        self.reconnect(broken)

    def _refused(self) -> bool:
        if not self._form_ready() or not isinstance(self.dialog, ConnectionDialog):
            return False
        form = self.dialog.findChild(ConnectionFormViewModel)
        if form is not None and form.state is FormState.EDITING:
            form.submit()
        return form is not None and form.state is FormState.REFUSED

    def _tour_dialog(self) -> QWidget:
        return self.dialog or self

    def _close_dialog(self) -> None:
        if self.dialog is not None:
            self.dialog.done(0)
