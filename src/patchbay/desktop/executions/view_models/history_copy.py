"""Downloading a server's history, so that all filters work on it."""

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.language import number_text, tr
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.times import moment
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.executions import HistoryCopy, HistoryCopyState


class HistoryCopyViewModel(QObject):
    """State of the downloaded history, refreshed when the workspace changes. Hidden if none is needed."""

    changed = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self._request = LatestRequest(services.tasks, self)
        self.copy = HistoryCopy()
        self.dismissed = False
        """Whether the bar was dismissed."""
        services.feed.changed.connect(self._on_change)

    @property
    def is_visible(self) -> bool:
        """Whether the bar is shown."""
        if self.copy.state is HistoryCopyState.READING:
            return True
        return not self.dismissed and self.copy.state in (HistoryCopyState.ABSENT, HistoryCopyState.STOPPED)

    @property
    def can_read(self) -> bool:
        """Whether a download of the history can be started."""
        return self.copy.state in (HistoryCopyState.ABSENT, HistoryCopyState.STOPPED)

    def load(self) -> None:
        self._request.run(self._backend.history_copy(), done=self._on_state_loaded, failed=lambda _: None)

    def read(self) -> None:
        """Start or resume the download."""
        self.dismissed = False
        self._request.run(
            self._backend.start_history_download(),
            done=self._on_state_loaded,
            failed=self._services.notices.failed,
        )

    def stop(self) -> None:
        """Stop the download of the history."""
        self._request.run(
            self._backend.stop_history_download(),
            done=self._on_state_loaded,
            failed=self._services.notices.failed,
        )

    def dismiss(self) -> None:
        """Hide the bar until a download is started."""
        self.dismissed = True
        self.changed.emit()

    def status_text(self) -> str:
        """Return the state of the download, or why it is useful."""
        copy = self.copy
        done, total = number_text(copy.done), number_text(max(copy.total, copy.done))
        back = moment(copy.oldest_at, self._services.clock()) if copy.oldest_at else ""
        if copy.state is HistoryCopyState.READING:
            if not back:
                return tr("Downloading the history: {done} of {total} executions", done=done, total=total)
            return tr(
                "Downloading the history: {done} of {total} executions, back to {time}",
                done=done,
                total=total,
                time=back,
            )
        downloaded = (
            tr("{done} of {total} executions downloaded, back to {time}.", done=done, total=total, time=back)
            if back
            else tr("{done} of {total} executions downloaded.", done=done, total=total)
        )
        if copy.problem:
            return f"{tr('The download stopped.')} {copy.problem} {downloaded}"
        if copy.state is HistoryCopyState.STOPPED:
            return f"{downloaded} {tr('Filters other than name, status, and time search only these.')}"
        return tr(
            "This server can filter only by name, status, and time. Download its history to use all filters."
        )

    def progress(self) -> float | None:
        """Return the progress from 0 to 1; None while not downloading."""
        reading = self.copy.state is HistoryCopyState.READING
        return min(1.0, self.copy.done / self.copy.total) if reading and self.copy.total else None

    def _on_state_loaded(self, copy: HistoryCopy) -> None:
        self.copy = copy
        self.changed.emit()

    def _on_change(self, change: Change) -> None:
        if (
            change.noun in (ResourceType.WORKSPACE, ResourceType.HISTORY)
            and self.copy.state is not HistoryCopyState.NOT_NEEDED
        ):
            # Not `load`: it would cancel a command that runs, such as starting the download.
            self._request.refresh(
                self._backend.history_copy, done=self._on_state_loaded, failed=lambda _: None
            )
