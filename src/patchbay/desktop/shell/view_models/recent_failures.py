"""The last failed executions of today, for the menu of the tray icon."""

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.clock import midnight
from patchbay.domain.executions import Execution, ExecutionFilter
from patchbay.domain.paging import Page, PageRequest

SHOWN = 3
DELAY_MS = 1_000
"""How long changes are gathered before the list is read again."""


class RecentFailures(QObject):
    """The newest of the failures that the status bar counts, read again after changes."""

    changed = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._request = LatestRequest(services.tasks, self)
        self.executions: tuple[Execution, ...] = ()
        self._delay_timer = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._delay_timer.timeout.connect(self.load)
        services.feed.changed.connect(self._on_change)

    def load(self) -> None:
        """Read the list again."""
        where = ExecutionFilter.unresolved_failures_since(midnight(self._services.clock()))
        work = self._services.backend.list_executions(where, PageRequest(limit=SHOWN))
        self._request.run(work, done=self._on_loaded, failed=lambda _: None)

    def _on_change(self, change: Change) -> None:
        if change.noun in (ResourceType.EXECUTION, ResourceType.WORKSPACE):
            self._delay_timer.start()

    def _on_loaded(self, page: Page[Execution]) -> None:
        self.executions = page.items
        self.changed.emit()
