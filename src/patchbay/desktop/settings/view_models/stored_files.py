"""What is stored on this computer: places, the log, and crash reports."""

import asyncio
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.tasks import LatestRequest, Tasks
from patchbay.domain.errors import AppError
from patchbay.domain.stored_files import CrashReport, StoredPlace


class StoredFilesAccess(Protocol):
    """Reads the files; every method may wait for the disk."""

    def places(self) -> tuple[StoredPlace, ...]:
        """What is stored where."""
        ...

    def log(self) -> str:
        """The end of the log."""
        ...

    def crash_reports(self) -> tuple[CrashReport, ...]:
        """The crash reports, newest first."""
        ...

    def crash_report(self, report: CrashReport) -> str:
        """The text of a report."""
        ...

    def delete_crash_report(self, report: CrashReport) -> None:
        """Delete a report. Raises `AppError`."""
        ...


class StoredFilesViewModel(QObject):
    """Reads places and crash reports in a background thread. `places` is None until they were read."""

    changed = Signal()
    log_read = Signal(str)
    report_read = Signal(object, str)
    """Emitted with a crash report and its text."""

    def __init__(self, files: StoredFilesAccess, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._files, self._tasks = files, tasks
        self._loading = LatestRequest(tasks, self)
        self.places: tuple[StoredPlace, ...] | None = None
        self.reports: tuple[CrashReport, ...] = ()
        self.error: AppError | None = None

    def load(self) -> None:
        """Read what is stored where, and the crash reports."""
        self._loading.run(self._read(), done=self._on_read, failed=self._on_failed)

    def read_log(self) -> None:
        """Read the end of the log; `log_read` follows."""
        self._tasks.run(self, asyncio.to_thread(self._files.log), done=self.log_read.emit)

    def read_report(self, report: CrashReport) -> None:
        """Read a crash report; `report_read` follows."""
        work = asyncio.to_thread(self._files.crash_report, report)
        self._tasks.run(self, work, done=partial(self.report_read.emit, report))

    def delete_report(self, report: CrashReport) -> None:
        """Delete a crash report."""
        work = asyncio.to_thread(self._files.delete_crash_report, report)
        self.error = None
        self._tasks.run(self, work, done=lambda _: self.load(), failed=self._on_failed)

    async def _read(self) -> tuple[tuple[StoredPlace, ...], tuple[CrashReport, ...]]:
        return await asyncio.to_thread(lambda: (self._files.places(), self._files.crash_reports()))

    def _on_read(self, found: tuple[tuple[StoredPlace, ...], tuple[CrashReport, ...]]) -> None:
        self.places, self.reports = found
        self.changed.emit()

    def _on_failed(self, error: AppError) -> None:
        self.error = error
        self.changed.emit()
