"""Makes backups on a schedule, in the process that runs the engine."""

import asyncio
import errno
import logging
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from patchbay.bootstrap.key_store import read_passphrase
from patchbay.domain.backups import PASSPHRASE_ITEM, BackupSchedule, BackupStatus
from patchbay.domain.base import EpochMs
from patchbay.domain.clock import local_datetime, now_ms
from patchbay.domain.errors import AppError, NotFound, StorageFault
from patchbay.domain.file_moves import delete_file
from patchbay.domain.ports import KeyStore
from patchbay.platform.backup_state import existing, read_backup_status, write_backup_status
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import read_settings

log = logging.getLogger("backups")

CHECK_SECONDS = 30.0
MB = 1_000_000
_SPARE_BYTES = 50 * MB
"""How much disk space a backup leaves free."""


class ScheduledBackups:
    """Makes a backup when one is due, and deletes the oldest that it made beyond the number to keep.

    Settings are read again for each check, so that changes of other programs take effect. `notify` is called
    after each backup, made or failed. One object at a time makes backups.
    """

    def __init__(
        self,
        paths: AppPaths,
        key_store: Callable[[], KeyStore],
        notify: Callable[[], object] = lambda: None,
        clock: Callable[[], EpochMs] = now_ms,
    ) -> None:
        self._paths, self._key_store, self._notify, self._clock = paths, key_store, notify, clock
        self._turn = asyncio.Lock()
        self._unstored: BackupStatus | None = None
        """How the last backup went, if that couldn't be stored."""

    async def run(self) -> None:
        """Check the schedule until this is cancelled, whatever a check raises."""
        while True:
            try:
                await self.check()
            except (AppError, OSError) as error:
                log.warning("the schedule of the backups couldn't be checked: %s", error)
            except Exception as error:  # noqa: BLE001  a bug must not end the schedule
                _report_bug(error)
            await asyncio.sleep(CHECK_SECONDS)

    async def check(self) -> None:
        """Make a backup if one is due."""
        schedule = await asyncio.to_thread(self._schedule)
        if schedule is not None and (await self._status()).is_due(schedule, self._clock()):
            await self.make(schedule)

    async def make(self, schedule: BackupSchedule) -> BackupStatus:
        """Make a backup now, and return how that went."""
        async with self._turn:
            before = await self._status()
            files = before.files
            try:
                passphrase = await self._passphrase(schedule)
                out = await asyncio.to_thread(self._new_file, schedule)
                files = (*files, out)
                status = await self._write(out, passphrase, schedule.keep, replace(before, files=files))
            except Exception as error:  # noqa: BLE001  a bug is reported, and the next backup may succeed
                problem = _explain(error)
                remaining = await asyncio.to_thread(existing, files)
                status = replace(before, files=remaining, problem=problem, problem_at=self._clock())
            try:
                await asyncio.to_thread(write_backup_status, self._paths, status)
                self._unstored = None
            except OSError as error:
                log.warning("the state of the backups couldn't be stored: %s", error)
                self._unstored = status
        self._notify()
        return status

    async def _status(self) -> BackupStatus:
        if self._unstored is not None:
            return self._unstored
        return await asyncio.to_thread(read_backup_status, self._paths)

    async def _write(self, out: Path, passphrase: str, keep: int, recorded: BackupStatus) -> BackupStatus:
        """Write a backup to this empty file, and delete the oldest. Deletes the file if that fails."""
        from patchbay.bootstrap.backup import back_up_with

        try:
            # Recorded before it is written: a backup that isn't recorded would never be deleted.
            await asyncio.to_thread(write_backup_status, self._paths, recorded)
            result = await back_up_with(self._paths, out, passphrase, self._key_store())
        except BaseException:
            _delete(out)
            raise
        log.info("backed up to %s (%s bytes)", result.file, result.size)
        files = await asyncio.to_thread(_delete_oldest, recorded.files, keep)
        return BackupStatus(self._clock(), result.size, files)

    def _schedule(self) -> BackupSchedule | None:
        settings = read_settings(self._paths.settings)
        return settings.backups.to_domain() if settings is not None else None

    async def _passphrase(self, schedule: BackupSchedule) -> str:
        if schedule.passphrase_file is not None:
            return await asyncio.to_thread(read_passphrase, schedule.passphrase_file)
        passphrase = await self._key_store().get(PASSPHRASE_ITEM)
        if not passphrase:
            raise NotFound(
                "No passphrase is set for scheduled backups.",
                todo="Set it in Settings → Data, or name a file with it in the settings file ([backups] "
                "passphrase_file).",
            )
        return passphrase

    def _new_file(self, schedule: BackupSchedule) -> Path:
        """An empty file with a new name, in a folder with enough space. Raises `StorageFault`."""
        folder = schedule.folder
        if folder is None:
            raise StorageFault(
                "No folder is chosen for scheduled backups.", todo="Choose one in Settings → Data."
            )
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            require_free_space(self._paths, folder)
            return _reserve(folder, f"patchbay-{local_datetime(self._clock()):%Y-%m-%d-%H%M}")
        except OSError as error:
            raise StorageFault(
                f"The folder {folder} can't be used: {error.strerror or error}.",
                meaning="The backup wasn't made.",
                todo="Connect its drive, or choose another folder in Settings → Data.",
            ) from error


def _delete_oldest(files: tuple[Path, ...], keep: int) -> tuple[Path, ...]:
    """Delete all but the newest of the files that were made here; others are never touched."""
    found = existing(files)
    made = [file for file in found if not _is_empty(file)]
    kept = made[-max(1, keep) :]
    for file in found:
        if file not in kept:
            _delete(file)
    return existing(found)


def _is_empty(file: Path) -> bool:
    """Whether a file only reserved its name, because the program ended before it was written."""
    try:
        return file.stat().st_size == 0
    except OSError:
        return False


def _delete(file: Path) -> None:
    try:
        delete_file(file)
    except OSError as error:
        log.warning("the backup %s couldn't be deleted: %s", file, error)


def _explain(error: Exception) -> str:
    """Why a backup failed, as text. Logs it, and reports a bug as a crash."""
    if isinstance(error, OSError):
        place = f" ({error.filename})" if error.filename else ""
        error = StorageFault(
            f"The backup couldn't be made: {error.strerror or error}{place}.",
            todo="Check the disks of the data folder and of the backups, or choose another folder in "
            "Settings → Data.",
        )
    if isinstance(error, AppError):
        log.warning("the backup failed: %s", error.text())
        return error.text()
    _report_bug(error)
    return f"The backup failed because of a bug in Patchbay ({type(error).__name__})."


def _report_bug(error: Exception) -> None:
    log.error("unexpected error in scheduled backups: %s", type(error).__name__)
    sys.excepthook(type(error), error, error.__traceback__)


def _reserve(folder: Path, stem: str) -> Path:
    """Create a file whose name no other program has taken."""
    for name in (stem, *(f"{stem}-{number}" for number in range(2, 100))):
        file = folder / f"{name}.patchbay"
        try:
            file.touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            continue
        return file
    raise FileExistsError(errno.EEXIST, "it already has a hundred backups of this minute")


def require_free_space(paths: AppPaths, folder: Path) -> None:
    """Raise `StorageFault` if the disks have no space for a copy of the database and for the backup.

    Raises `OSError` if a disk can't be read.
    """
    size = paths.database.stat().st_size
    is_same_disk = paths.data.stat().st_dev == folder.stat().st_dev
    needed = {folder: size * 2 if is_same_disk else size, paths.data: size}
    for place, wanted in needed.items():
        free = shutil.disk_usage(place).free
        if free < wanted + _SPARE_BYTES:
            raise StorageFault(
                f"There isn't enough disk space for a backup in {place}.",
                meaning=f"It needs {(wanted + _SPARE_BYTES) // MB} MB, and {free // MB} MB are free.",
                todo="Free some space, or choose another folder in Settings → Data.",
            )
