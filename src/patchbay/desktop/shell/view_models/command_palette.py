"""The objects that the command palette offers besides actions: flows of the workspace."""

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.flows import Flow, FlowFilter
from patchbay.domain.paging import MAX_PAGE_SIZE, Page, PageRequest


class PaletteObjects(QObject):
    """Loads the flows when the palette opens; `flows` has the last result."""

    changed = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._request = LatestRequest(services.tasks, self)
        self.flows: tuple[Flow, ...] = ()
        self.is_loaded = False

    def load(self) -> None:
        work = self._services.backend.list_flows(FlowFilter(), PageRequest(limit=MAX_PAGE_SIZE))
        self._request.run(work, done=self._on_loaded, failed=lambda _: None)

    def _on_loaded(self, page: Page[Flow]) -> None:
        self.flows = page.items
        self.is_loaded = True
        self.changed.emit()
