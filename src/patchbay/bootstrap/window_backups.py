"""`WindowBackups`: backups, restore, and database check for the settings of the window."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from patchbay.bootstrap.opening_backend import OpenWorkspace
from patchbay.domain.backups import (
    PASSPHRASE_ITEM,
    BackupContents,
    BackupOverview,
    BackupSchedule,
    BackupStatus,
)
from patchbay.domain.base import EpochMs
from patchbay.domain.errors import AppError
from patchbay.domain.ports import KeyStore
from patchbay.platform.backup_state import read_backup_status
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile

if TYPE_CHECKING:
    from patchbay.bootstrap.workspace_runtime import WorkspaceRuntime


class WindowBackups:
    """Implements `BackupAccess` for this computer. `opened` waits until the workspace is open."""

    def __init__(
        self,
        paths: AppPaths,
        settings: SettingsFile,
        opened: Callable[[], Awaitable[OpenWorkspace]],
    ) -> None:
        self._paths, self._settings, self._opened = paths, settings, opened

    async def status(self) -> BackupStatus:
        """How the last backups went."""
        return await asyncio.to_thread(read_backup_status, self._paths)

    async def overview(self) -> BackupOverview:
        """The schedule, how the last backups went, and whether there is a passphrase."""
        schedule, status = self._settings.value.backups.to_domain(), await self.status()
        if schedule.passphrase_file is not None:
            return BackupOverview(schedule, status, has_passphrase=True)
        try:
            key_store = await self._key_store()
            has_passphrase = bool(await key_store.get(PASSPHRASE_ITEM))
        except AppError as error:
            return BackupOverview(schedule, status, False, error.text())
        return BackupOverview(schedule, status, has_passphrase)

    async def save(self, schedule: BackupSchedule) -> None:
        """Store the schedule. The program that runs the engine reads it at its next check."""
        self._settings.value.backups.replace_with(schedule)
        await asyncio.to_thread(self._settings.save)

    async def set_passphrase(self, passphrase: str) -> None:
        """Store the passphrase of further backups in the key store."""
        await (await self._key_store()).set(PASSPHRASE_ITEM, passphrase)

    async def back_up_now(self) -> BackupStatus:
        """Make a backup in the folder of the schedule."""
        from patchbay.bootstrap.scheduled_backups import ScheduledBackups

        schedule = self._settings.value.backups.to_domain()
        runtime = await self._runtime()
        key_store = await self._key_store()
        backups = runtime.backups if runtime is not None else None
        return await (backups or ScheduledBackups(self._paths, lambda: key_store)).make(schedule)

    async def inspect(self, file: Path, passphrase: str) -> BackupContents:
        """Decrypt and check a whole backup, without changing anything. Raises `AppError`."""
        from patchbay.bootstrap.backup import inspect

        counts = await inspect(self._paths, file, passphrase)
        about = await asyncio.to_thread(file.stat)
        return BackupContents(file, about.st_size, EpochMs(int(about.st_mtime * 1000)), tuple(counts.items()))

    async def check_database(self) -> tuple[str, ...]:
        """Problems of the database, which may be in use. Raises `AppError`."""
        from patchbay.storage.repair import find_problems

        return await asyncio.to_thread(find_problems, self._paths.database)

    async def _key_store(self) -> KeyStore:
        """The key store of the open workspace, also if another program runs it."""
        runtime = await self._runtime()
        if runtime is not None:
            await runtime.secrets_opened()
            return runtime.secret_store.encryption.key_store
        from patchbay.bootstrap.key_store import choose_key_store

        return choose_key_store(self._paths, self._settings.value)

    async def _runtime(self) -> "WorkspaceRuntime | None":
        from patchbay.bootstrap.local import LocalWorkspace

        opened = await self._opened()
        return opened.runtime if isinstance(opened, LocalWorkspace) else None
