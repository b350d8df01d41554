"""The Flows tab: list and editor, one at a time."""

from PySide6.QtWidgets import QStackedLayout

from patchbay.desktop.state.flows_rows import FlowsFilter, SidePlace
from patchbay.desktop.state.navigation import Place
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.flows.list_page import FlowListPage
from patchbay.desktop.ui.kit.tab import TabView
from patchbay.domain.flows import FlowFilter


class FlowsTab(TabView):
    """All flows; one of them opens in the editor, Back returns to the list as it was."""

    def __init__(self, services: Services) -> None:
        super().__init__()
        self._services = services
        self.list_page = FlowListPage(services)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.list_page)

    def activate(self) -> None:
        if not self.list_page.flows.loaded:
            self.list_page.flows.load()
        self.list_page.view.setFocus()

    def go(self, place: Place) -> None:
        if isinstance(place.where, FlowFilter):
            self.list_page.flows.show(to_filter(place.where))

    def focus_filter(self) -> None:
        self.list_page.toolbar.search.setFocus()


def to_filter(where: FlowFilter) -> FlowsFilter:
    """The list's filter for what another tab asks to see."""
    return FlowsFilter(
        place=where.folder_id or SidePlace.ALL,
        text=where.name or "",
        status=where.status,
        app_key=where.app_key,
        connection_id=where.connection_id,
    )
