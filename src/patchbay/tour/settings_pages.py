"""The pictures of the settings of this computer: notifications, data, and the search."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from patchbay.desktop.kit.layout import scroll_into_view
from patchbay.desktop.settings.view_models.backups import BackupsViewModel
from patchbay.desktop.settings.view_models.search import ENTRIES, find_settings
from patchbay.desktop.settings.view_models.stored_files import StoredFilesViewModel
from patchbay.domain.backups import (
    BackupContents,
    BackupInterval,
    BackupOverview,
    BackupSchedule,
    BackupStatus,
)
from patchbay.domain.base import EpochMs
from patchbay.domain.clock import HOUR_MS
from patchbay.domain.notification_settings import NotificationSettings, NotifyOnFailure, QuietHours
from patchbay.domain.stored_files import CrashReport, StoredPlace
from patchbay.tour.scene import Scene

if TYPE_CHECKING:
    from patchbay.desktop.settings.dialog import SettingsDialog
    from patchbay.desktop.settings.window_options import ShellOptions
    from patchbay.desktop.shell.main_window import MainWindow

_NOW: EpochMs = 1_795_270_860_000
_FOLDER = Path("/var/lib/patchbay")
_CHOICES = (NotifyOnFailure.ALWAYS, NotifyOnFailure.NEVER)


def settings_scenes(window: "MainWindow") -> tuple[Scene, ...]:
    """The pages with sample settings, which are put away after the picture."""
    poser = _Poser(window)
    return (
        Scene(
            "settings-notifications",
            poser.show_notifications,
            poser.has_notification_choices,
            poser.target,
            poser.close,
        ),
        *(
            Scene(f"settings-{name}", prepare, partial(poser.has_data, part), poser.target, poser.close)
            for name, part, prepare in (
                ("data", "", poser.show_data),
                ("data-failed", "", poser.show_failed_backup),
                ("data-files", "places", poser.show_data),
            )
        ),
        Scene("backup-passphrase", poser.show_data, poser.asks_passphrase, poser.target, poser.close),
        Scene("backup-restore", poser.show_data, poser.asks_restore, poser.target, poser.close),
        Scene("settings-search", poser.search, poser.has_found, poser.target, poser.close),
    )


class _SampleFiles:
    """Files of a data folder that doesn't exist."""

    def places(self) -> tuple[StoredPlace, ...]:
        found = (
            ("Flows, executions, and encrypted credentials", "patchbay.db", 12_300_000),
            ("Settings", "settings.toml", 412),
            ("Log and crash reports", "logs", 184_000),
        )
        return tuple(StoredPlace(title, _FOLDER / name, size) for title, name, size in found)

    def log(self) -> str:
        return ""

    def crash_reports(self) -> tuple[CrashReport, ...]:
        return (CrashReport(_FOLDER / "logs" / "crash.txt", _NOW, "ZeroDivisionError: division by zero"),)

    def crash_report(self, report: CrashReport) -> str:
        return report.summary

    def delete_crash_report(self, report: CrashReport) -> None:
        """Nothing is stored."""


class _SampleBackups:
    """Backups every week on another disk."""

    def __init__(self, status: BackupStatus) -> None:
        self._status = status

    async def status(self) -> BackupStatus:
        return self._status

    async def overview(self) -> BackupOverview:
        schedule = BackupSchedule(BackupInterval.WEEKLY, folder=Path("/media/backup"))
        return BackupOverview(schedule, self._status, has_passphrase=True)

    async def save(self, schedule: BackupSchedule) -> None:
        """Nothing is stored."""

    async def set_passphrase(self, passphrase: str) -> None:
        """Nothing is stored."""

    async def back_up_now(self) -> BackupStatus:
        return self._status

    async def inspect(self, file: Path, passphrase: str) -> BackupContents:
        counts = (("flows", 24), ("connections", 12), ("executions", 20_000))
        return BackupContents(file, 12_400_000, _NOW - 8 * HOUR_MS, counts)

    async def check_database(self) -> tuple[str, ...]:
        return ()


class _Poser:
    """Opens the settings dialog, and closes it again."""

    def __init__(self, window: "MainWindow") -> None:
        self._window = window
        self._dialog: SettingsDialog | None = None
        self._options: ShellOptions | None = None
        """The options of the window, while a page has sample ones."""

    def open(self, title: str) -> "SettingsDialog":
        self._dialog = self._window.open_settings(title)
        return self._dialog

    def page(self, title: str) -> Any:
        assert self._dialog is not None
        return self._dialog.page(title)

    @property
    def _over_dialog(self) -> Any:
        """The dialog over the page Data; None without one."""
        section = self.page("Data").backups if self._options is not None and self._dialog else None
        return section.dialog if section is not None else None

    def target(self) -> QWidget:
        assert self._dialog is not None
        return self._over_dialog or self._dialog

    def close(self) -> None:
        if self._over_dialog is not None:
            self._over_dialog.done(0)
        if self._dialog is not None:
            self._dialog.done(0)
        self._dialog = None
        if self._options is not None:
            self._window.options, self._options = self._options, None
        if self._window.area is not None:
            self._window.area.services.notifications.restore(NotificationSettings())

    def show_data(self) -> None:
        self._show_data(BackupStatus(_NOW - 8 * HOUR_MS, 12_400_000, (Path("sample"),) * 7))

    def show_failed_backup(self) -> None:
        problem = "The folder /media/backup can't be used: No such file or directory."
        made = BackupStatus(_NOW - 32 * HOUR_MS, 12_400_000, (Path("sample"),) * 7, problem, _NOW)
        self._show_data(made)

    def _show_data(self, status: BackupStatus) -> None:
        window = self._window
        assert window.tasks is not None
        self._options = window.options
        backups = BackupsViewModel(_SampleBackups(status), window.tasks, Path("/media/backup"))
        files = StoredFilesViewModel(_SampleFiles(), window.tasks)
        window.options = replace(window.options, backups=backups, stored_files=files)
        self.open("Data")

    def has_data(self, part: str) -> bool:
        page = self.page("Data")
        if part:
            scroll_into_view(getattr(page, part))
        is_loaded = page.backups.every.isEnabled() and bool(page.places.rows)
        return is_loaded and bool(page.reports.rows)

    def asks_passphrase(self) -> bool:
        return self._over(lambda section: section.ask_for_passphrase())

    def asks_restore(self) -> bool:
        if not self._over(lambda section: section.open_restore()):
            return False
        dialog = self.page("Data").backups.dialog
        if not dialog.file.text():
            dialog.file.setText("/media/backup/patchbay-2026-11-21-0621.patchbay")
            dialog.secret.edit.setText("sample")
            dialog.submit.click()
        return bool(dialog.outcome.isVisible())

    def _over(self, show: Callable[[Any], object]) -> bool:
        section = self.page("Data").backups
        if self.has_data("") and section.dialog is None:
            show(section)
        return section.dialog is not None and section.dialog.isVisible()

    def search(self) -> None:
        text = "limit" if find_settings("limit") else ENTRIES[0].label  # no word of the pseudo-language
        self.open("Engine").search.field.setText(text)

    def has_found(self) -> bool:
        assert self._dialog is not None
        return bool(self._dialog.search.found)

    def show_notifications(self) -> None:
        area = self._window.area
        assert area is not None
        quiet = QuietHours(enabled=True, days=frozenset(range(5)))
        area.services.notifications.restore(NotificationSettings(quiet_hours=quiet))
        area.objects.load()
        self.open("Notifications")

    def has_notification_choices(self) -> bool:
        area = self._window.area
        assert area is not None
        for flow, choice in zip(area.objects.flows, _CHOICES, strict=False):
            area.services.notifications.set_for_flow(flow.id, choice)
        return len(self.page("Notifications").flows.rows) == len(_CHOICES)
