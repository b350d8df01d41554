"""Settings → Data: the schedule of backups, the last ones, and the check of the database."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.backups import BackupAccess
from patchbay.desktop.core.language import tr
from patchbay.desktop.tasks import LatestRequest, Tasks
from patchbay.domain.backups import (
    BackupContents,
    BackupInterval,
    BackupOverview,
    BackupSchedule,
    BackupStatus,
)
from patchbay.domain.errors import AppError


class BackupsViewModel(QObject):
    """Saves each change of the schedule at once. `overview` is None until it was read.

    `default_folder` is used by the first schedule.
    """

    changed = Signal()

    def __init__(
        self, access: BackupAccess, tasks: Tasks, default_folder: Path, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._access, self._tasks, self._default_folder = access, tasks, default_folder
        self._loading, self._running = LatestRequest(tasks, self), LatestRequest(tasks, self)
        self.overview: BackupOverview | None = None
        self.error: AppError | None = None
        self.busy = False
        """Whether a backup is being made."""
        self.checking = False
        self.problems: tuple[str, ...] | None = None
        """Problems that the check of the database found; None before a check."""

    @property
    def schedule(self) -> BackupSchedule:
        """The current schedule."""
        return self.overview.schedule if self.overview is not None else BackupSchedule()

    @property
    def backup_unavailable_reason(self) -> str | None:
        """Why no backup can be made now; None if one can be made."""
        if self.overview is None:
            return tr("The backups aren't loaded yet.")
        if self.schedule.folder is None:
            return tr("Choose a folder first.")
        return None if self.overview.has_passphrase else tr("Set a passphrase first.")

    def load(self) -> None:
        """Read the schedule and how the last backups went."""
        self._loading.run(self._access.overview(), done=self._on_loaded, failed=self._on_failed)

    def set_every(self, every: BackupInterval) -> None:
        """Set how often backups are made; the first schedule gets the default folder."""
        folder = self.schedule.folder or (None if every is BackupInterval.NEVER else self._default_folder)
        self.change(replace(self.schedule, every=every, folder=folder))

    def change(self, schedule: BackupSchedule) -> None:
        """Use and store a schedule."""
        if self.overview is not None and schedule != self.schedule:
            self.overview, self.error = replace(self.overview, schedule=schedule), None
            self._tasks.run(self, self._access.save(schedule), failed=self._on_failed)
            self.changed.emit()

    def reset(self) -> Callable[[], None]:
        """Restore the default schedule. Returns what undoes that."""
        before = self.schedule
        self.change(BackupSchedule())
        return lambda: self.change(before)

    def set_passphrase(self, passphrase: str) -> None:
        """Store the passphrase of further backups."""
        self.error = None
        work = self._access.set_passphrase(passphrase)
        self._tasks.run(self, work, done=lambda _: self.load(), failed=self._on_failed)

    def back_up_now(self) -> None:
        """Make a backup now."""
        self.busy, self.error = True, None
        self.changed.emit()
        self._running.run(self._access.back_up_now(), done=self._on_backed_up, failed=self._on_failed)

    def check_database(self) -> None:
        """Look for damage in the database."""
        self.checking, self.error = True, None
        self.changed.emit()
        self._running.run(self._access.check_database(), done=self._on_checked, failed=self._on_failed)

    def inspect(
        self,
        file: Path,
        passphrase: str,
        done: Callable[[BackupContents], object],
        failed: Callable[[AppError], object],
    ) -> None:
        """Check a backup file; one of the callbacks follows."""
        work: Coroutine[Any, Any, BackupContents] = self._access.inspect(file, passphrase)
        self._running.run(work, done=done, failed=failed)

    def _on_loaded(self, overview: BackupOverview) -> None:
        self.overview = overview
        self.changed.emit()

    def _on_backed_up(self, status: BackupStatus) -> None:
        self.busy = False
        if self.overview is not None:
            self.overview = replace(self.overview, status=status)
        self.changed.emit()

    def _on_checked(self, problems: tuple[str, ...]) -> None:
        self.checking, self.problems = False, problems
        self.changed.emit()

    def _on_failed(self, error: AppError) -> None:
        self.error, self.busy, self.checking = error, False, False
        self.changed.emit()
