"""The engine page of the settings: concurrency, retention, rate limits, and disk usage."""

import asyncio
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.language import number_text, tr, tr_count
from patchbay.desktop.core.rate_limits import AppLimit, app_limits
from patchbay.desktop.core.screen_view_model import ScreenViewModel
from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import Feature
from patchbay.domain.base import AppKey
from patchbay.domain.changes import ResourceType
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

POLL_SECONDS = 1.0


class AllowedPaths:
    """A setting that lists paths, such as the folders whose files steps can use."""

    def __init__(self, model: "EngineSettingsViewModel", name: str) -> None:
        self._model, self._name = model, name

    def current(self) -> tuple[str, ...]:
        """The allowed paths."""
        settings = self._model.settings
        return tuple(getattr(settings, self._name)) if settings is not None else ()

    def allow(
        self,
        path: str,
        done: Callable[[], object] = lambda: None,
        failed: Callable[[AppError], object] | None = None,
    ) -> None:
        """Allow a path, after the others. `failed` gets the error instead of the page."""
        if path in self.current():
            done()
        else:
            self._model.change((self._name,), (*self.current(), path), done, failed)

    def remove(self, path: str) -> None:
        """No longer allow a path."""
        self._model.change((self._name,), tuple(one for one in self.current() if one != path))


class EngineSettingsViewModel(ScreenViewModel):
    """Saves each change immediately, as a single setting; `undo` restores that setting.

    Settings that change elsewhere, such as from the command line, are reloaded.
    """

    changed = Signal()
    _storage_measured = Signal(object)

    reloads_on = (ResourceType.WORKSPACE,)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(services, parent)
        self.settings: EngineSettings | None = None
        self.storage: StorageUsage | None = None
        self.isolation: Isolation | None = None
        self.is_local = False
        """Whether the flows run on this computer, so that its folders can be browsed."""
        self._previous_setting: tuple[SettingPath, Any] | None = None
        """The setting that was changed last, and its previous value."""
        self.cleanup_result: CleanupResult | None = None
        self.busy = False
        self.cleaning_up = False
        self._storage_measured.connect(self._on_storage_measured)
        services.apps.changed.connect(self.changed)
        self.failed.connect(self.changed)
        self._save_request = LatestRequest(services.tasks, self)
        self.folders = AllowedPaths(self, "allowed_folders")
        self.programs = AllowedPaths(self, "allowed_programs")

    @property
    def unavailable_reason(self) -> str | None:
        """Why engine settings are unavailable here; None if they are available."""
        return self._backend.capabilities.reason(Feature.ENGINE)

    @property
    def can_undo(self) -> bool:
        """Whether a change can be undone."""
        return self._previous_setting is not None

    @property
    def limits(self) -> tuple[AppLimit, ...]:
        """The rate limits of apps, by app name."""
        return app_limits(self._services.apps.all, self.settings.app_limits) if self.settings else ()

    @property
    def apps_without_limit(self) -> tuple[AppInfo, ...]:
        """The apps without a rate limit, by name."""
        limited = {limit.key for limit in self.limits}
        apps = (app for app in self._services.apps.all if not app.broken and app.key not in limited)
        return tuple(sorted(apps, key=lambda app: app.name.casefold()))

    def _read(self) -> None:
        if self.unavailable_reason is None and not self.busy:
            self._load_request.refresh(self._load, done=self._on_loaded, failed=self._on_load_failed)

    def change(
        self,
        path: SettingPath,
        value: Any,
        done: Callable[[], object] = lambda: None,
        failed: Callable[[AppError], object] | None = None,
    ) -> None:
        """Change a single setting. `failed` gets the error instead of the page."""
        if self.settings is not None and get_setting(self.settings, path) != value:
            self._write(path, value, undoable=True, on_done=done, on_failed=failed)

    def limit_app(self, key: AppKey, limit: RateLimit | None) -> None:
        """Set the rate limit of an app; None restores the app's own."""
        self.change(("app_limits", key), limit)

    def undo(self) -> None:
        """Restore the setting that was changed last."""
        if self._previous_setting is not None:
            self._write(*self._previous_setting, undoable=False)

    @property
    def is_default(self) -> bool:
        """Whether nothing differs from the defaults, as far as is known."""
        return self.settings is None or self.settings == EngineSettings()

    def reset(self) -> None:
        """Restore the defaults of all settings."""
        if self.settings is not None:
            self._previous_setting = None
            self.busy, self.error, self.cleanup_result = True, None, None
            self.changed.emit()
            work = self._backend.change_engine_settings(EngineSettings(), tuple(EngineSettings.model_fields))
            self._save_request.run(work, done=self._on_reset, failed=self._on_failed)

    def _on_reset(self, stored: EngineSettings) -> None:
        self.settings, self.busy = stored, False
        self.changed.emit()

    def clean_up(self) -> None:
        """Delete executions beyond the retention now."""
        self.cleaning_up = True
        self.cleanup_result = None
        self.error = None
        self.changed.emit()
        self._save_request.run(self._run_cleanup(), done=self._on_cleaned_up, failed=self._on_failed)

    def shortens_retention(self, path: SettingPath, value: Any) -> bool:
        """Whether this change would delete existing executions."""
        if self.settings is None or path[0] != "retention" or value is None:
            return False
        now = get_setting(self.settings, path)
        return now is None or bool(value < now)

    async def _run_cleanup(self) -> tuple[CleanupResult, StorageUsage]:
        """Clean up and emit the disk usage meanwhile. A cancelled clean-up stops where it is."""
        work = asyncio.ensure_future(self._backend.clean_up_history())
        try:
            while not (await asyncio.wait({work}, timeout=POLL_SECONDS))[0]:
                self._storage_measured.emit(await self._backend.storage_usage())
            return work.result(), await self._backend.storage_usage()
        finally:
            work.cancel()

    def _on_storage_measured(self, storage: StorageUsage) -> None:
        self.storage = storage
        self.changed.emit()

    def _write(
        self,
        path: SettingPath,
        value: Any,
        *,
        undoable: bool,
        on_done: Callable[[], object] = lambda: None,
        on_failed: Callable[[AppError], object] | None = None,
    ) -> None:
        def failed(error: AppError) -> None:
            self._on_failed(error if on_failed is None else None)
            if on_failed is not None:
                on_failed(error)

        def done(result: tuple[Any, EngineSettings]) -> None:
            replaced, self.settings = result
            self._previous_setting = (path, replaced) if undoable else None
            self.busy = False
            self.changed.emit()
            self.refresh()  # another user may have changed it meanwhile
            on_done()

        self.busy = True
        self.error = None
        self.cleanup_result = None
        self.changed.emit()
        self._save_request.run(self._store(path, value), done=done, failed=failed)

    async def _store(self, path: SettingPath, value: Any) -> tuple[Any, EngineSettings]:
        """Save a single setting; returns its previous value and the new settings.

        Retention and limits are sent as a group, so the group is read again just before.
        """
        now = await self._backend.engine_settings()
        stored = await self._backend.change_engine_settings(with_setting(now, path, value), path[:1])
        return get_setting(now, path), stored

    async def _load(self) -> tuple[EngineSettings, StorageUsage, Isolation, bool]:
        settings, storage, health, info = await asyncio.gather(
            self._backend.engine_settings(),
            self._backend.storage_usage(),
            self._backend.health(),
            self._backend.info(),
        )
        return settings, storage, health.isolation, info.kind == "local"

    def _on_loaded(self, result: tuple[EngineSettings, StorageUsage, Isolation, bool]) -> None:
        """Show the settings; if nothing changed, an open list stays as it is."""
        if not self.busy and result != (self.settings, self.storage, self.isolation, self.is_local):
            self.settings, self.storage, self.isolation, self.is_local = result
            self.loaded, self.error = True, None
            self.changed.emit()

    def _on_cleaned_up(self, result: tuple[CleanupResult, StorageUsage]) -> None:
        self.cleanup_result, self.storage = result
        self.cleaning_up = False
        self.changed.emit()

    def _on_failed(self, error: AppError | None) -> None:
        self.error = error
        self.busy = False
        self.cleaning_up = False
        self.changed.emit()


def format_size(size: int) -> str:
    """A number of bytes as text: 812 kB, 241 MB, 3.2 GB."""
    if size >= 10_000_000_000:
        return tr("{n} GB", n=number_text(round(size / 1_000_000_000)))
    if size >= 1_000_000_000:
        return tr("{n} GB", n=number_text(size / 1_000_000_000, 1))
    if size >= 10_000_000:
        return tr("{n} MB", n=number_text(round(size / 1_000_000)))
    if size >= 1_000_000:
        return tr("{n} MB", n=number_text(size / 1_000_000, 1))
    return tr("{n} kB", n=number_text(size // 1000))


def storage_text(storage: StorageUsage, oldest: str) -> str:
    """The disk usage of the workspace. `oldest` is the day of the oldest execution as text."""
    size, free = format_size(storage.bytes), format_size(storage.free_bytes)
    if storage.free_bytes >= storage.bytes // 100 and storage.free_bytes >= 1_000_000:
        usage = tr("{size} on the disk, {free} of it reusable.", size=size, free=free)
    else:
        usage = tr("{size} on the disk.", size=size)
    if oldest:
        executions = tr_count(
            storage.executions,
            "{n} execution, the oldest of {day}.",
            "{n} executions, the oldest of {day}.",
            day=oldest,
        )
    else:
        executions = tr_count(storage.executions, "{n} execution.", "{n} executions.")
    return f"{usage} {executions}"


def cleanup_text(cleanup_result: CleanupResult) -> str:
    """The result of a clean-up in a sentence."""
    if not cleanup_result.removed and not cleanup_result.freed_bytes:
        return tr("Nothing to clean up.")
    return tr_count(
        cleanup_result.removed,
        "{n} execution removed, {size} of disk space freed.",
        "{n} executions removed, {size} of disk space freed.",
        size=format_size(cleanup_result.freed_bytes),
    )
