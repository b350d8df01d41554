"""The engine page of the settings: how many run at a time, how long history is kept, what it takes up."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.alarms import TELL_FAILURES
from patchbay.desktop.state.call_limits import AppLimit, app_limits
from patchbay.desktop.state.services import Services
from patchbay.desktop.tasks import Latest
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import Feature
from patchbay.domain.base import AppKey
from patchbay.domain.engine import EngineSettings, RateLimit, Retention, StorageUse, Tidied
from patchbay.domain.errors import AppError
from patchbay.domain.isolation import Isolation

LOOK_SECONDS = 1.0


class EngineSettingsViewModel(QObject):
    """Every change is stored at once; `before` is what the last one replaced, for `undo`."""

    changed = Signal()
    _looked = Signal(object)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self.settings: EngineSettings | None = None
        self.storage: StorageUse | None = None
        self.isolation: Isolation | None = None
        self.before: EngineSettings | None = None
        self.tidied: Tidied | None = None
        self.error: AppError | None = None
        self.busy = False
        self.tidying = False
        self._looked.connect(self._see)
        services.apps.changed.connect(self.changed)
        self._reading, self._writing = Latest(services.tasks, self), Latest(services.tasks, self)

    @property
    def missing(self) -> str | None:
        """Why nothing of this can be seen or set here; None when it can."""
        return self._backend.capabilities.reason(Feature.ENGINE)

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

    def change(self, settings: EngineSettings) -> None:
        """Put other settings into effect."""
        if self.settings is not None and settings != self.settings:
            before = self.settings
            self._write(self._backend.change_engine_settings(settings), before)

    def limit_app(self, key: AppKey, limit: RateLimit | None) -> None:
        """How often an app may be called; None leaves it to what the app asks for."""
        if self.settings is not None:
            others = {app: kept for app, kept in self.settings.app_limits.items() if app != key}
            limits = others if limit is None else {**others, key: limit}
            self.change(self.settings.model_copy(update={"app_limits": limits}))

    def undo(self) -> None:
        """As it was before the last change."""
        if self.before is not None:
            self._write(self._backend.change_engine_settings(self.before), None)

    def tidy(self) -> None:
        """Remove what is not kept any more, now."""
        self.tidying, self.tidied, self.error = True, None, None
        self.changed.emit()
        self._writing.ask(self._tidy(), done=self._cleaned, failed=self._failed)

    def keeps_less(self, settings: EngineSettings) -> bool:
        """Whether executions that are kept now would be removed by these settings."""
        if self.settings is None:
            return False
        return any(
            less is not None and (now is None or less < now)
            for now, less in zip(
                _bounds(self.settings.retention), _bounds(settings.retention), strict=True
            )
        )  # fmt: skip

    async def _tidy(self) -> tuple[Tidied, StorageUse]:
        """Clean up; meanwhile the figures show how far it is. Given up, it leaves off where it is."""
        work = asyncio.ensure_future(self._backend.tidy_history())
        try:
            while not (await asyncio.wait({work}, timeout=LOOK_SECONDS))[0]:
                self._looked.emit(await self._backend.storage_use())
            return work.result(), await self._backend.storage_use()
        finally:
            work.cancel()

    def _see(self, storage: StorageUse) -> None:
        self.storage = storage
        self.changed.emit()

    def _write(self, work: Coroutine[Any, Any, EngineSettings], before: EngineSettings | None) -> None:
        def done(settings: EngineSettings) -> None:
            self.before, self.settings, self.busy = before, settings, False
            self.changed.emit()

        self.busy, self.error, self.tidied = True, None, None
        self.changed.emit()
        self._writing.ask(work, done=done, failed=self._failed)

    async def _load(self) -> tuple[EngineSettings, StorageUse, Isolation]:
        settings, storage, health = await asyncio.gather(
            self._backend.engine_settings(), self._backend.storage_use(), self._backend.health()
        )
        return settings, storage, health.isolation

    def _read(self, answer: tuple[EngineSettings, StorageUse, Isolation]) -> None:
        self.settings, self.storage, self.isolation = answer
        self.busy, self.error = False, None
        self.changed.emit()

    def _cleaned(self, answer: tuple[Tidied, StorageUse]) -> None:
        self.tidied, self.storage = answer
        self.tidying = False
        self.changed.emit()

    def _failed(self, error: AppError) -> None:
        self.error, self.busy, self.tidying = error, False, False
        self.changed.emit()


def _bounds(kept: Retention) -> tuple[int | None, ...]:
    return kept.success_days, kept.failure_days, kept.most


def size_words(size: int) -> str:
    """Bytes as people say them: 812 kB, 241 MB, 3.2 GB."""
    for unit, width in (("GB", 1_000_000_000), ("MB", 1_000_000)):
        if size >= width:
            return f"{size / width:.{1 if size < 10 * width else 0}f} {unit}"
    return f"{size // 1000:,} kB"


def storage_words(storage: StorageUse, oldest: str) -> str:
    """What the workspace takes on the disk. `oldest` is the day of the oldest execution, in words."""
    words = f"{size_words(storage.bytes)} on the disk"
    if storage.free_bytes >= storage.bytes // 100 and storage.free_bytes >= 1_000_000:
        words += f", {size_words(storage.free_bytes)} of it free to be used again"
    executions = "1 execution" if storage.executions == 1 else f"{storage.executions:,} executions"
    return f"{words}. {executions}{', the oldest of ' + oldest if oldest else ''}."


def tidied_words(tidied: Tidied) -> str:
    if not tidied.removed and not tidied.freed_bytes:
        return "There was nothing to remove."
    removed = "1 execution" if tidied.removed == 1 else f"{tidied.removed:,} executions"
    return f"{removed} removed, {size_words(tidied.freed_bytes)} given back to the disk."
