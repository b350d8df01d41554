"""The engine page of the settings: how many run at a time, how long history is kept, what it takes up."""

import asyncio
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.flow_alerts import TELL_FAILURES
from patchbay.desktop.core.rate_limits import AppLimit, app_limits
from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import Latest
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import Feature
from patchbay.domain.base import AppKey
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.engine import (
    CleanupResult,
    EngineSettings,
    Isolation,
    RateLimit,
    SettingPath,
    StorageUsage,
    get_setting,
    with_setting,
)
from patchbay.domain.errors import AppError

LOOK_SECONDS = 1.0


class EngineSettingsViewModel(QObject):
    """Stores each change at once, as the one setting it is about; `undo` restores that setting.

    Settings that change elsewhere, such as from the command line, are read again.
    """

    changed = Signal()
    _looked = Signal(object)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self.settings: EngineSettings | None = None
        self.storage: StorageUsage | None = None
        self.isolation: Isolation | None = None
        self._replaced: tuple[SettingPath, Any] | None = None
        """The setting changed last and its previous value."""
        self.tidied: CleanupResult | None = None
        self.error: AppError | None = None
        self.busy = False
        self.tidying = False
        self._looked.connect(self._see)
        services.apps.changed.connect(self.changed)
        services.feed.changed.connect(self._on_change)
        self._reading, self._writing = Latest(services.tasks, self), Latest(services.tasks, self)

    @property
    def missing(self) -> str | None:
        """Why nothing of this can be seen or set here; None when it can."""
        return self._backend.capabilities.reason(Feature.ENGINE)

    @property
    def can_undo(self) -> bool:
        return self._replaced is not None

    @property
    def tells_failures(self) -> bool:
        """Whether a message of the system tells of every failure."""
        return self._services.memory.get(TELL_FAILURES) == "yes"

    @property
    def limits(self) -> tuple[AppLimit, ...]:
        """The limits that hold for apps, by their names."""
        return app_limits(self._services.apps.all, self.settings.app_limits) if self.settings else ()

    @property
    def limitable(self) -> tuple[AppInfo, ...]:
        """The apps that have no limit yet, by name."""
        limited = {limit.key for limit in self.limits}
        apps = (app for app in self._services.apps.all if not app.broken and app.key not in limited)
        return tuple(sorted(apps, key=lambda app: app.name.casefold()))

    def tell_failures(self, tell: bool) -> None:
        self._services.memory.put(TELL_FAILURES, "yes" if tell else "no")

    def load(self) -> None:
        if self.missing is None:
            self.busy = True
            self._reading.ask(self._load(), done=self._read, failed=self._failed)

    def refresh(self) -> None:
        """Read the settings again; a failure leaves what is shown."""
        if self.settings is not None and not self.busy:
            self._reading.ask(self._load(), done=self._refreshed, failed=lambda _: None)

    def change(self, path: SettingPath, value: Any) -> None:
        """Change a single setting."""
        if self.settings is not None and get_setting(self.settings, path) != value:
            self._write(path, value, undoable=True)

    def limit_app(self, key: AppKey, limit: RateLimit | None) -> None:
        """How often an app may be called; None leaves it to what the app asks for."""
        self.change(("app_limits", key), limit)

    def undo(self) -> None:
        """Restore the setting that was changed last."""
        if self._replaced is not None:
            self._write(*self._replaced, undoable=False)

    def tidy(self) -> None:
        """Remove what is not kept any more, now."""
        self.tidying, self.tidied, self.error = True, None, None
        self.changed.emit()
        self._writing.ask(self._tidy(), done=self._cleaned, failed=self._failed)

    def keeps_less(self, path: SettingPath, value: Any) -> bool:
        """Whether this change would remove executions that are kept now."""
        if self.settings is None or path[0] != "retention" or value is None:
            return False
        now = get_setting(self.settings, path)
        return now is None or bool(value < now)

    async def _tidy(self) -> tuple[CleanupResult, StorageUsage]:
        """Clean up; meanwhile the figures show how far it is. Given up, it leaves off where it is."""
        work = asyncio.ensure_future(self._backend.clean_up_history())
        try:
            while not (await asyncio.wait({work}, timeout=LOOK_SECONDS))[0]:
                self._looked.emit(await self._backend.storage_usage())
            return work.result(), await self._backend.storage_usage()
        finally:
            work.cancel()

    def _see(self, storage: StorageUsage) -> None:
        self.storage = storage
        self.changed.emit()

    def _on_change(self, change: Change) -> None:
        if change.noun is ResourceType.WORKSPACE and self.missing is None:
            self.refresh()

    def _write(self, path: SettingPath, value: Any, *, undoable: bool) -> None:
        def done(result: tuple[Any, EngineSettings]) -> None:
            replaced, self.settings = result
            self._replaced = (path, replaced) if undoable else None
            self.busy = False
            self.changed.emit()
            self.refresh()  # someone else's change may have come in meanwhile

        self.busy, self.error, self.tidied = True, None, None
        self.changed.emit()
        self._writing.ask(self._store(path, value), done=done, failed=self._failed)

    async def _store(self, path: SettingPath, value: Any) -> tuple[Any, EngineSettings]:
        """Store a single setting; return its previous value and the settings in force.

        Retention and limits are sent as a group, so the group is read anew just before.
        """
        now = await self._backend.engine_settings()
        stored = await self._backend.change_engine_settings(with_setting(now, path, value), path[:1])
        return get_setting(now, path), stored

    async def _load(self) -> tuple[EngineSettings, StorageUsage, Isolation]:
        settings, storage, health = await asyncio.gather(
            self._backend.engine_settings(), self._backend.storage_usage(), self._backend.health()
        )
        return settings, storage, health.isolation

    def _read(self, answer: tuple[EngineSettings, StorageUsage, Isolation]) -> None:
        self.settings, self.storage, self.isolation = answer
        self.busy, self.error = False, None
        self.changed.emit()

    def _refreshed(self, answer: tuple[EngineSettings, StorageUsage, Isolation]) -> None:
        """Show what changed; without a change an open list stays as it is."""
        if not self.busy and answer != (self.settings, self.storage, self.isolation):
            self.settings, self.storage, self.isolation = answer
            self.changed.emit()

    def _cleaned(self, answer: tuple[CleanupResult, StorageUsage]) -> None:
        self.tidied, self.storage = answer
        self.tidying = False
        self.changed.emit()

    def _failed(self, error: AppError) -> None:
        self.error, self.busy, self.tidying = error, False, False
        self.changed.emit()


def size_words(size: int) -> str:
    """Bytes as people say them: 812 kB, 241 MB, 3.2 GB."""
    for unit, width in (("GB", 1_000_000_000), ("MB", 1_000_000)):
        if size >= width:
            return f"{size / width:.{1 if size < 10 * width else 0}f} {unit}"
    return f"{size // 1000:,} kB"


def storage_words(storage: StorageUsage, oldest: str) -> str:
    """What the workspace takes on the disk. `oldest` is the day of the oldest execution, in words."""
    words = f"{size_words(storage.bytes)} on the disk"
    if storage.free_bytes >= storage.bytes // 100 and storage.free_bytes >= 1_000_000:
        words += f", {size_words(storage.free_bytes)} of it reusable"
    executions = "1 execution" if storage.executions == 1 else f"{storage.executions:,} executions"
    return f"{words}. {executions}{', the oldest of ' + oldest if oldest else ''}."


def tidied_words(tidied: CleanupResult) -> str:
    if not tidied.removed and not tidied.freed_bytes:
        return "Nothing to clean up."
    removed = "1 execution" if tidied.removed == 1 else f"{tidied.removed:,} executions"
    return f"{removed} removed, {size_words(tidied.freed_bytes)} of disk space freed."
