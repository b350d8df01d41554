"""Reading the history of a service into a copy here, so that it can be filtered in every way."""

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.services import Services
from patchbay.desktop.core.times import moment
from patchbay.desktop.tasks import Latest
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.executions import HistoryCopy, HistoryCopyState


class HistoryCopyViewModel(QObject):
    """How the copy stands, asked anew when the workspace changes. Nothing to show where none is needed."""

    changed = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self._slot = Latest(services.tasks, self)
        self.copy = HistoryCopy()
        self.dismissed = False
        """Whether the person has read how it ended, or does not want it."""
        services.feed.changed.connect(self._on_change)

    @property
    def wanted(self) -> bool:
        """Whether there is anything to show or to do."""
        if self.copy.state is HistoryCopyState.READING:
            return True
        return not self.dismissed and self.copy.state in (HistoryCopyState.ABSENT, HistoryCopyState.STOPPED)

    @property
    def can_read(self) -> bool:
        return self.copy.state in (HistoryCopyState.ABSENT, HistoryCopyState.STOPPED)

    def load(self) -> None:
        self._slot.ask(self._backend.history_copy(), done=self._told, failed=lambda _: None)

    def read(self) -> None:
        """Begin, or go on where it stopped."""
        self.dismissed = False
        self._slot.ask(
            self._backend.start_history_download(), done=self._told, failed=self._services.notices.failed
        )

    def stop(self) -> None:
        self._slot.ask(
            self._backend.stop_history_download(), done=self._told, failed=self._services.notices.failed
        )

    def dismiss(self) -> None:
        self.dismissed = True
        self.changed.emit()

    def words(self) -> str:
        """How it stands, and what it is for."""
        copy = self.copy
        done = f"{copy.done:,} of {max(copy.total, copy.done):,} executions"
        back = f", back to {moment(copy.oldest_at, self._services.clock())}" if copy.oldest_at else ""
        if copy.state is HistoryCopyState.READING:
            return f"Reading the history: {done}{back}"
        if copy.problem:
            return f"Reading the history stopped: {copy.problem} {done} are here{back}."
        if copy.state is HistoryCopyState.STOPPED:
            return f"{done} are here{back}. Filters beyond name, outcome and time look only at these."
        return (
            "This service filters by name, outcome and time only. With a copy of its history here, every "
            "filter works."
        )

    def share(self) -> float | None:
        """The part that is here, None when it does not grow."""
        reading = self.copy.state is HistoryCopyState.READING
        return min(1.0, self.copy.done / self.copy.total) if reading and self.copy.total else None

    def _told(self, copy: HistoryCopy) -> None:
        self.copy = copy
        self.changed.emit()

    def _on_change(self, change: Change) -> None:
        if (
            change.noun in (ResourceType.WORKSPACE, ResourceType.HISTORY)
            and self.copy.state is not HistoryCopyState.NOT_NEEDED
        ):
            self.load()
