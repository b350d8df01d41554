"""The Flows tab: list and editor, one at a time."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedLayout

from patchbay.desktop.core.navigation import Place
from patchbay.desktop.core.services import Services
from patchbay.desktop.flows.list_page import FlowListPage
from patchbay.desktop.flows.view_models.commands import PublishBlocked
from patchbay.desktop.flows.view_models.flow_list import FlowsFilter, SidebarPlace
from patchbay.desktop.kit.tab_view import FocusArea, TabView
from patchbay.domain.base import FlowId, StepId
from patchbay.domain.flows import FlowFilter

if TYPE_CHECKING:
    from patchbay.desktop.editor.page import EditorPage


class FlowsTab(TabView):
    """Shows the list or the editor; Back returns to the list as it was."""

    def __init__(self, services: Services) -> None:
        super().__init__()
        self._services = services
        self.list_page = FlowListPage(services)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.list_page)
        self.list_page.opened.connect(self.edit)
        self.list_page.commands.publish_blocked.connect(self._show_blockers)

    @cached_property
    def editor_page(self) -> "EditorPage":
        """The editor page, created on first use so that the list shows sooner."""
        from patchbay.desktop.editor.page import EditorPage

        page = EditorPage(self._services, self)
        page.closed.connect(self.show_list)
        self._stack.addWidget(page)
        return page

    @property
    def editing(self) -> bool:
        """Whether the editor is shown instead of the list."""
        return self._stack.currentWidget() is not self.list_page

    def activate(self) -> None:
        self.list_page.flows.load()
        if not self.editing:
            self.list_page.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def go(self, place: Place) -> None:
        """Open a flow in the editor (`id`), create one (section "new"), preview a file (section "import"), or
        filter the list (`where`).
        """
        self.list_page.flows.load()
        if place.section == "new":
            self.show_list()
            self.list_page.create_flow()
        elif place.section == "import" and place.id is not None:
            self.show_list()
            self.list_page.flow_actions.read_file(Path(place.id))
        elif place.id is not None:
            self.edit(FlowId(place.id))
        else:
            self.show_list()
            if isinstance(place.where, FlowFilter):
                self.list_page.flows.show(to_list_filter(place.where))

    def shows(self, place: Place) -> bool:
        if place.id is None:
            return False
        if self.editing:
            return self.editor_page.editor.flow_id == place.id
        return self.list_page.view.shows(FlowId(place.id))

    def focus_filter(self) -> None:
        if not self.editing:
            self.list_page.toolbar.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.list_page.toolbar.search.selectAll()

    def back(self) -> bool:
        """Return from the editor to the list; False if the list is already shown."""
        if not self.editing:
            return False
        self.editor_page.leave()
        return True

    def save(self) -> bool:
        return not self.editing or self.editor_page.save()

    def focus_areas(self) -> tuple[FocusArea, ...]:
        return self.editor_page.focus_areas() if self.editing else super().focus_areas()

    @property
    def help_page(self) -> str | None:
        return self.editor_page.help_page if self.editing else None

    def new_flow(self) -> bool:
        """Create a flow in the folder the list shows; False while the editor is open."""
        if self.editing:
            return False
        self.list_page.create_flow()
        return True

    def edit(self, flow_id: FlowId, step_id: StepId | None = None) -> None:
        """Open a flow in the editor."""
        self.editor_page.open(flow_id, step_id)
        self._stack.setCurrentWidget(self.editor_page)
        self.editor_page.steps.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_list(self) -> None:
        """Return from the editor to the list."""
        if self.editing:
            self._stack.setCurrentWidget(self.list_page)
            self.list_page.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_blockers(self, publish_blocked: PublishBlocked) -> None:
        self.editor_page.open(publish_blocked.flow_id, blockers=publish_blocked.blockers)
        self._stack.setCurrentWidget(self.editor_page)


def to_list_filter(where: FlowFilter) -> FlowsFilter:
    """Return the list filter for a `FlowFilter` from another tab."""
    return FlowsFilter(
        place=where.folder_id or SidebarPlace.ALL,
        text=where.name or "",
        status=where.status,
        app_key=where.app_key,
        connection_id=where.connection_id,
    )
