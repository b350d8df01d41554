"""The content of the window while a workspace is open: header, tabs, status bar, notices, warnings."""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from patchbay.desktop.core.flow_alerts import DesktopNotification, DesktopNotifier, NotificationAction
from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.new_flows import create_new_flow
from patchbay.desktop.core.notification_inbox import NotificationInbox
from patchbay.desktop.core.services import Services
from patchbay.desktop.kit.boxes import vbox
from patchbay.desktop.kit.layout import surface
from patchbay.desktop.kit.messages import ToastHost
from patchbay.desktop.kit.tab_view import FocusArea, TabView
from patchbay.desktop.settings.window_options import ShellOptions
from patchbay.desktop.shell.desktop_notifications import Actions, Notifier
from patchbay.desktop.shell.header import Header
from patchbay.desktop.shell.status_bar import EnginePopup, StatusBar
from patchbay.desktop.shell.view_models.command_palette import PaletteObjects
from patchbay.desktop.shell.view_models.engine_control import EngineControl
from patchbay.desktop.shell.view_models.taken_port import TakenPortViewModel
from patchbay.desktop.shell.view_models.vault import VaultViewModel
from patchbay.desktop.shell.view_models.workspace_status import BrokenConnections, WorkspaceViewModel
from patchbay.desktop.shell.warning_bars import OfflineBar, PortBar, VaultBar
from patchbay.domain.backend import Feature
from patchbay.domain.changes import Change, ResourceType

TabFactory = Callable[[Services], TabView]
MAX_TAB_HISTORY = 50


class WorkArea(QWidget):
    """The views of an open workspace. Tabs are created when first shown, after the first paint."""

    secrets_requested = Signal()
    first_view_shown = Signal()
    front_requested = Signal()
    """Emitted when a notification was clicked, whose place is then shown."""
    loading_allowed = Signal()
    """Emitted after the first paint, or at once without a window: slow work can begin."""

    def __init__(
        self,
        services: Services,
        factories: Mapping[Tab, TabFactory],
        options: ShellOptions,
        parent: QWidget | None = None,
        *,
        header: Header | None = None,
    ) -> None:
        super().__init__(parent)
        self.services, self._factories = services, factories
        self.views: dict[Tab, TabView] = {}
        self._history: list[Tab] = []
        self._shown: Tab | None = None
        self._is_painted = self._is_model_started = False
        self.model = WorkspaceViewModel(services, self)
        self.vault = VaultViewModel(services, self)
        self.port = TakenPortViewModel(services, self)
        self.objects = PaletteObjects(services, self)
        self.header = header or Header()
        self.status = StatusBar()
        self.pages = QStackedWidget()
        self.offline = OfflineBar()
        self.vault_bar = VaultBar()
        self.port_bar = PortBar()
        self.header.switcher.show_workspace(options.workspace, options.servers)
        self.pages.addWidget(surface(QWidget(), "surface"))
        bars = (self.offline, self.vault_bar, self.port_bar)
        vbox(self.header, *bars, (self.pages, 1), self.status, parent=self, spacing=0)
        self.toasts = ToastHost(self)
        self.inbox = NotificationInbox(services, self)
        self.notifier = Notifier(self, services.notices.post, tasks=services.tasks, notify=services.notify)
        self.engine = EngineControl(services, self.model, self)
        self.engine_popup: EnginePopup | None = None
        self.alarms = DesktopNotifier(services, self)
        self._connect()

    @property
    def has_view(self) -> bool:
        """Whether a view is shown, which is so soon after the first paint."""
        return self._shown is not None

    @property
    def tab(self) -> Tab:
        """The current tab."""
        return self.header.tabs.current()

    @property
    def view(self) -> TabView | None:
        """The view of the current tab; None before it is created."""
        return self.views.get(self.tab)

    def show_tab(self, tab: Tab) -> None:
        """Show a tab."""
        if tab is self.tab:
            self._show_view(tab)
        else:
            self.header.tabs.show_tab(tab)

    def go(self, place: Place) -> None:
        """Show the tab of a place and let it show the rest."""
        self.show_tab(place.tab)
        if place.id or place.section or place.where is not None:
            self._view_for(place.tab).go(place)

    def back(self) -> None:
        """Go back inside the tab, such as from the editor to the list; otherwise to the previous tab."""
        if self.view is not None and self.view.back():
            return
        if self._history:
            tab = self._history.pop()
            self.header.tabs.show_tab(tab)
            self._history.pop()

    def focus_filter(self) -> None:
        """Move the focus to the filter of the current tab."""
        if self.view is not None:
            self.view.focus_filter()

    def save(self) -> None:
        """Save what is being edited now, rather than after a pause."""
        if self.view is None or self.view.save():
            self.services.notices.post(tr("All changes are saved. Patchbay saves them as you make them."))

    def reload(self) -> None:
        """Reload everything shown, including what a server doesn't announce."""
        self.services.feed.changed.emit(Change(noun=ResourceType.WORKSPACE))
        self.services.notices.post(tr("Reloading"))

    def new_flow(self) -> None:
        """Create a flow and open it in the editor."""
        if self.view is not None and self.view.new_flow():
            return
        services = self.services
        if reason := services.backend.capabilities.reason(Feature.CHANGES):
            services.notices.post(reason)
            return

        def created(flow: object) -> None:
            services.navigator.go(Place(Tab.FLOWS, id=getattr(flow, "id", None), section="editor"))

        services.tasks.run(
            self, create_new_flow(services.backend), done=created, failed=services.notices.failed
        )

    def next_area(self) -> None:
        """Move the focus (F6) to the next part: header, parts of the page, status bar."""
        page = self.view.focus_areas() if self.view is not None else ()
        parts = [FocusArea(self.header, self.header.tabs), *page, FocusArea(self.status)]
        focus_areas = [area for area in parts if area.widget.isVisible()]
        focused = self.window().focusWidget()
        current = next((place for place, area in enumerate(focus_areas) if area.contains(focused)), 0)
        for area in (*focus_areas[current + 1 :], *focus_areas[: current + 1]):
            if area.enter():
                return

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self, self._show_first_view)

    def start_without_window(self) -> None:
        """Load the workspace while the window is hidden; the first view is created when it is shown."""
        if not self._is_model_started:
            self.loading_allowed.emit()
            self._start_model()

    def _show_first_view(self) -> None:
        if not self._is_model_started:
            self.loading_allowed.emit()
        self._show_view(self.tab)
        if not self._is_model_started:
            self._start_model()
        self.vault.start()
        self.port.start()
        self.first_view_shown.emit()

    def _start_model(self) -> None:
        """Follow the state of the workspace, and notify of what happens in it."""
        self._is_model_started = True
        self.model.start()
        self.alarms.start()

    def _connect(self) -> None:
        services = self.services
        status = self.status
        model = self.model
        services.navigator.requested.connect(self.go)
        services.notices.posted.connect(self.toasts.post)
        services.apps.failed.connect(services.notices.failed)
        model.changed.connect(self._show_status)
        self.vault.changed.connect(lambda: self.vault_bar.show_message(self.vault.warning))
        self.vault.prompt_requested.connect(self._prompt_to_unlock)
        self.vault_bar.unlock_requested.connect(self.open_unlock_dialog)
        self.port.changed.connect(lambda: self.port_bar.show_message(self.port.warning))
        self.port_bar.settings_requested.connect(lambda: services.navigator.open_settings("Server"))
        self.port_bar.dismissed.connect(self.port.dismiss)
        self.offline.retry.connect(model.refresh)
        services.engine_owner.taken_over.connect(self._notify_takeover)
        model.connections_broke.connect(self._notify_broken_connections)
        self.alarms.notification_requested.connect(self.notify)
        self.inbox.show_requested.connect(self._show_notification)
        self.notifier.seen.connect(self.inbox.mark_seen)
        self.header.tabs.currentChanged.connect(lambda _: self._on_tab_changed())
        self.header.tabs.tabBarClicked.connect(self._on_tab_clicked)
        status.next_run_clicked.connect(lambda: self.go(Place(Tab.FLOWS, section="list")))
        status.running_clicked.connect(lambda: self.go(model.active_runs_target()))
        status.failures_clicked.connect(lambda: self.go(model.failures_target()))
        status.engine_clicked.connect(self.open_engine)
        status.secrets_clicked.connect(self.secrets_requested)

    def _notify_takeover(self) -> None:
        self.services.notices.post(
            tr("Flows now run in this window, because the program that ran them has stopped.")
        )

    def notify(self, notification: DesktopNotification) -> None:
        """Show a notification, unless the person is looking at what it is about."""
        if not self._is_looking_at(notification):
            self.inbox.add(notification)

    def _is_looking_at(self, notification: DesktopNotification) -> bool:
        if not self.isActiveWindow() or self.view is None or notification.settings:
            return False
        places = [Place(Tab.EXECUTIONS, id=run.id) for run in notification.runs]
        places += [Place(Tab.FLOWS, id=flow.id) for flow in notification.flows]
        view = self.view
        return all(place.tab is self.tab and view.shows(place) for place in places or [notification.place])

    def _show_notification(self, notification: DesktopNotification) -> None:
        actions: Actions = {}
        offered, capabilities = notification.action, self.services.backend.capabilities
        if offered is not None and offered.place is not None:
            actions = {offered.label: partial(self._open_from_notification, offered.place)}
        elif offered is not None and capabilities.reason(Feature.RUN_CONTROL) is None:
            actions = {offered.label: partial(self._run_from_notification, offered)}
        show = partial(self._open_from_notification, notification.place)
        if notification.settings:
            show = partial(self._open_settings_from_notification, notification.settings)
        self.notifier.show_message(notification.title, notification.text, show, actions)

    def _notify_broken_connections(self, broken: BrokenConnections) -> None:
        self.notify(broken.notification)

    def _run_from_notification(self, action: NotificationAction) -> None:
        services = self.services
        if action.run is not None:
            services.tasks.run(self, action.run(services.backend), failed=services.notices.failed)

    def _open_from_notification(self, place: Place) -> None:
        """Bring the window to the front and show what the clicked notification is about."""
        self.front_requested.emit()
        self.go(place)

    def _open_settings_from_notification(self, page: str) -> None:
        self.front_requested.emit()
        self.services.navigator.open_settings(page)

    def open_engine(self) -> EnginePopup:
        """Show or hide the popup of the engine above the status bar."""
        popup = self.engine_popup = EnginePopup(self.status.engine, self.model, self.engine, self.services)
        popup.running_requested.connect(lambda: self.go(self.model.active_runs_target()))
        popup.settings_requested.connect(lambda: self.services.navigator.open_settings("Engine"))
        popup.closed.connect(self._on_engine_popup_closed)
        popup.open_under(self.status.engine)
        self.model.refresh()
        return popup

    def _prompt_to_unlock(self) -> None:
        if self.isVisible():  # without a window, the bar says it once the window is shown
            self.open_unlock_dialog()

    def open_unlock_dialog(self) -> None:
        """Ask for the passphrase of the vault."""
        # Imported here, as dialogs are loaded when the first one is opened.
        from patchbay.desktop.kit.vault_dialogs import UnlockVaultDialog

        if self.services.vault is not None:
            UnlockVaultDialog(self, self.services.tasks, self.services.vault).open()

    def _on_engine_popup_closed(self) -> None:
        self.engine_popup = None

    def _on_tab_changed(self) -> None:
        if not self._is_painted:
            return
        if self._shown is Tab.EXECUTIONS and self.tab is not Tab.EXECUTIONS:
            self.model.mark_failures_seen()
        self._show_view(self.tab)

    def _on_tab_clicked(self, index: int) -> None:
        """A click on the tab that is shown leads back to its list, for example from the editor."""
        if index == self.header.tabs.currentIndex():
            self._view_for(self.tab).back()

    def _show_view(self, tab: Tab) -> None:
        if self._shown is not None and self._shown is not tab:
            self._history = [*self._history, self._shown][-MAX_TAB_HISTORY:]
        self._shown = tab
        view = self._view_for(tab)
        self.pages.setCurrentWidget(view)
        view.activate()

    def _view_for(self, tab: Tab) -> TabView:
        if tab not in self.views:
            view = self.views[tab] = self._factories[tab](self.services)
            view.setAccessibleName(tab.label)
            self.pages.addWidget(view)
        return self.views[tab]

    def _show_status(self) -> None:
        model, tabs = self.model, self.header.tabs
        self.status.show_status(model)
        self.offline.show_offline(model.warning(), can_retry=not self.services.engine_owner.is_missing)
        tabs.set_badge(
            Tab.EXECUTIONS,
            model.unseen_failures,
            tr_count(model.unseen_failures, "{n} unseen failure", "{n} unseen failures"),
        )
        attention_text = tr_count(
            model.attention, "{n} connection needs attention", "{n} connections need attention"
        )
        tabs.set_badge(Tab.MY_APPS, model.attention, attention_text)
        self.header.fit()
