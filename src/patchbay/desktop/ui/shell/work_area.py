"""The inside of the window while a workspace is open: header, tabs, status bar, toasts."""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from patchbay.desktop.state.alarms import Alarms
from patchbay.desktop.state.engine_control import EngineControl
from patchbay.desktop.state.navigation import Place, Tab
from patchbay.desktop.state.palette_objects import PaletteObjects
from patchbay.desktop.state.services import Services
from patchbay.desktop.state.workspace_view_model import WorkspaceViewModel
from patchbay.desktop.ui.kit.surface import surface
from patchbay.desktop.ui.kit.tab import Area, TabView
from patchbay.desktop.ui.kit.text import count
from patchbay.desktop.ui.kit.toast import ToastHost
from patchbay.desktop.ui.shell.engine_popup import EnginePopup
from patchbay.desktop.ui.shell.header import Header
from patchbay.desktop.ui.shell.notifier import Notifier
from patchbay.desktop.ui.shell.offline_strip import OfflineStrip
from patchbay.desktop.ui.shell.options import ShellOptions
from patchbay.desktop.ui.shell.status_bar import StatusBar
from patchbay.domain.backend import Feature
from patchbay.domain.changes import Change, ResourceType

TabFactory = Callable[[Services], TabView]
MAX_TAB_HISTORY = 50


class WorkArea(QWidget):
    """Everything about one open workspace. Tabs are built when first shown, after the frame was painted."""

    secrets_requested = Signal()
    painted = Signal()
    """The frame is on the screen; what takes time may begin."""

    def __init__(
        self,
        services: Services,
        factories: Mapping[Tab, TabFactory],
        options: ShellOptions,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.services, self._factories = services, factories
        self.views: dict[Tab, TabView] = {}
        self._history: list[Tab] = []
        self._shown: Tab | None = None
        self._painted = False
        self.model = WorkspaceViewModel(services, self)
        self.objects = PaletteObjects(services, self)
        self.header, self.status, self.pages = Header(), StatusBar(), QStackedWidget()
        self.offline = OfflineStrip()
        self.header.switcher.show_workspace(options.workspace, options.services)
        self.pages.addWidget(surface(QWidget(), "surface"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.offline)
        column.addWidget(self.pages, 1)
        column.addWidget(self.status)
        self.toasts = ToastHost(self)
        self.notifier = Notifier(self, services.notices.post)
        self.engine = EngineControl(services, self.model, self)
        self.engine_popup: EnginePopup | None = None
        self.alarms = Alarms(services, self)
        self._connect()

    @property
    def tab(self) -> Tab:
        """The tab in front."""
        return self.header.tabs.current()

    @property
    def view(self) -> TabView | None:
        return self.views.get(self.tab)

    def show_tab(self, tab: Tab) -> None:
        if tab is self.tab:
            self._show_view(tab)
        else:
            self.header.tabs.show_tab(tab)

    def go(self, place: Place) -> None:
        """Bring up the place's tab and let it show the rest."""
        self.show_tab(place.tab)
        if place.id or place.section or place.where is not None:
            self._view_for(place.tab).go(place)

    def back(self) -> None:
        """Back inside the tab, such as from the editor to the list; else to the tab one came from."""
        if self.view is not None and self.view.back():
            return
        if self._history:
            tab = self._history.pop()
            self.header.tabs.show_tab(tab)
            self._history.pop()

    def focus_filter(self) -> None:
        if self.view is not None:
            self.view.focus_filter()

    def reload(self) -> None:
        """Read everything shown again, also what a server doesn't announce."""
        self.services.feed.changed.emit(Change(noun=ResourceType.WORKSPACE))
        self.services.notices.post("Reloading what is shown")

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

        services.tasks.run(self, services.backend.create_flow(), done=created, failed=services.notices.failed)

    def next_area(self) -> None:
        """F6: header, parts of the page, status bar, and round again."""
        page = self.view.areas() if self.view is not None else ()
        parts = [Area(self.header, self.header.tabs), *page, Area(self.status)]
        areas = [area for area in parts if area.whole.isVisible()]
        focused = self.window().focusWidget()
        current = next((place for place, area in enumerate(areas) if area.holds(focused)), 0)
        for area in (*areas[current + 1 :], *areas[: current + 1]):
            if area.enter():
                return

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            QTimer.singleShot(0, self._start)

    def _start(self) -> None:
        self.painted.emit()
        self._show_view(self.tab)
        self.model.start()
        self.alarms.start()

    def _connect(self) -> None:
        services, status, model = self.services, self.status, self.model
        services.navigator.requested.connect(self.go)
        services.notices.posted.connect(self.toasts.post)
        services.apps.failed.connect(services.notices.failed)
        model.changed.connect(self._show_status)
        self.offline.retry.connect(model.refresh)
        self.offline.takeover_requested.connect(services.engine_offer.accept)
        services.engine_offer.taken_over.connect(self._notify_takeover)
        model.broke.connect(lambda broken: self._notify(broken.title, broken.text, Place(Tab.MY_APPS)))
        self.alarms.told.connect(lambda alarm: self._notify(alarm.title, alarm.text, alarm.place))
        self.header.tabs.currentChanged.connect(lambda _: self._on_tab_changed())
        status.next_run_clicked.connect(lambda: self.go(Place(Tab.FLOWS, section="list")))
        status.running_clicked.connect(lambda: self.go(model.place_of_under_way()))
        status.failures_clicked.connect(lambda: self.go(model.place_of_failures()))
        status.engine_clicked.connect(self.open_engine)
        status.secrets_clicked.connect(self.secrets_requested)

    def _notify_takeover(self) -> None:
        self.services.notices.post("Flows run in this window now. The program that ran them has ended.")

    def _notify(self, title: str, text: str, place: Place) -> None:
        self.notifier.show_message(title, text, partial(self._open_from_notification, place))

    def _open_from_notification(self, place: Place) -> None:
        """A message was clicked: bring the window to the front, with what it is about."""
        window = self.window()
        window.showNormal() if window.isMinimized() else window.show()
        window.raise_()
        window.activateWindow()
        self.go(place)

    def open_engine(self) -> EnginePopup:
        """How the engine does, above its part of the status bar."""
        popup = self.engine_popup = EnginePopup(self.status.engine, self.model, self.engine, self.services)
        popup.running_requested.connect(lambda: self.go(self.model.place_of_under_way()))
        popup.settings_requested.connect(lambda: self.services.navigator.open_settings("Engine"))
        popup.closed.connect(self._on_engine_popup_closed)
        popup.open_under(self.status.engine)
        self.model.refresh()
        return popup

    def _on_engine_popup_closed(self) -> None:
        self.engine_popup = None

    def _on_tab_changed(self) -> None:
        if not self._painted:
            return
        if self._shown is Tab.EXECUTIONS and self.tab is not Tab.EXECUTIONS:
            self.model.failures_seen()
        self._show_view(self.tab)

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
            view.setAccessibleName(tab.value)
            self.pages.addWidget(view)
        return self.views[tab]

    def _show_status(self) -> None:
        model, tabs = self.model, self.header.tabs
        self.status.show_status(model)
        self.offline.show_message(model.warning(), can_take_over=self.services.engine_offer.is_open)
        tabs.set_badge(
            Tab.EXECUTIONS, model.unseen_failures, f"{count(model.unseen_failures, 'failure')} not seen"
        )
        attention_text = count(model.attention, "connection needs", "connections need")
        tabs.set_badge(Tab.MY_APPS, model.attention, f"{attention_text} attention")
        self.header.fit()
