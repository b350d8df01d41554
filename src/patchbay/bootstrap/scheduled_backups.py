"""Makes backups on a schedule, in the process that runs the engine."""

import asyncio
import errno
import logging
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from patchbay.bootstrap.backup import BackupResult, back_up_with
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

    async def run(self) -> None:
        """Check the schedule until this is cancelled."""
        while True:
            await self.check()
            await asyncio.sleep(CHECK_SECONDS)

    async def check(self) -> None:
        """Make a backup if one is due."""
        schedule = await asyncio.to_thread(self._schedule)
        if schedule is not None:
            status = await asyncio.to_thread(read_backup_status, self._paths)
            if status.is_due(schedule, self._clock()):
                await self.make(schedule)

    async def make(self, schedule: BackupSchedule) -> BackupStatus:
        """Make a backup now, and return how that went."""
        before = await asyncio.to_thread(read_backup_status, self._paths)
        try:
            result = await self._back_up(schedule)
            files = await asyncio.to_thread(self._delete_oldest, (*before.files, result.file), schedule.keep)
            status = BackupStatus(self._clock(), result.size, files)
            log.info("backed up to %s (%s bytes)", result.file, result.size)
        except AppError as error:
            log.warning("the backup failed: %s", error.text())
            status = replace(before, problem=error.text(), problem_at=self._clock())
        try:
            await asyncio.to_thread(write_backup_status, self._paths, status)
        except OSError as error:
            log.warning("the state of the backups couldn't be stored: %s", error)
        self._notify()
        return status

    def _schedule(self) -> BackupSchedule | None:
        settings = read_settings(self._paths.settings)
        return settings.backups.to_domain() if settings is not None else None

    async def _back_up(self, schedule: BackupSchedule) -> BackupResult:
        passphrase = await self._passphrase(schedule)
        out = await asyncio.to_thread(self._new_file, schedule)
        try:
            return await back_up_with(self._paths, out, passphrase, self._key_store())
        except BaseException:
            delete_file(out)  # it reserved the name
            raise

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

    def _delete_oldest(self, files: tuple[Path, ...], keep: int) -> tuple[Path, ...]:
        """Delete all but the newest of the files that were made here; others are never touched."""
        found = existing(files)
        for file in found[: -max(1, keep)]:
            try:
                delete_file(file)
            except OSError as error:
                log.warning("the old backup %s couldn't be deleted: %s", file, error)
        return existing(found)


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
