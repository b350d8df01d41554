"""The engine as a whole: held and let go, how it is set, and what its history takes up."""

import asyncio
import logging
from collections.abc import Collection

from pydantic import ValidationError

from patchbay.domain.audit_log import AuditAction
from patchbay.domain.changes import ResourceType
from patchbay.domain.engine import CleanupResult, EngineHealth, EngineSettings, StorageUsage
from patchbay.domain.errors import ValidationFailed
from patchbay.service.service_context import Operations, ServiceContext
from patchbay.storage import retention
from patchbay.storage.commit_counter import LOST_COMMITS_KEY, PAUSED
from patchbay.storage.database import Database
from patchbay.storage.repositories import meta
from patchbay.storage.repositories.rows import Tx

log = logging.getLogger(__name__)

_SETTINGS, _PAUSED = "engine.settings", PAUSED
"""Names in `meta`."""


async def load_engine_state(db: Database) -> tuple[EngineSettings, bool]:
    """How the engine was set, and whether all runs were paused, when the workspace was last open."""

    def read(tx: Tx) -> tuple[EngineSettings, bool]:
        return _read_settings(tx), meta.get(tx, _PAUSED) is not None

    return await db.read(read)


def _read_settings(tx: Tx) -> EngineSettings:
    text = meta.get(tx, _SETTINGS)
    if text is None:
        return EngineSettings()
    try:
        return EngineSettings.model_validate_json(text)
    except ValidationError as error:
        log.warning("the engine's settings cannot be read, so the usual ones hold: %s", error)
        return EngineSettings()


class EngineOperations(Operations):
    """What holds for all flows together."""

    def __init__(self, context: ServiceContext) -> None:
        super().__init__(context)
        self._clean_up_lock = asyncio.Lock()

    async def pause_runs(self) -> EngineHealth:
        """Start no run, poll or schedule, also after a restart, until `resume_runs`; webhooks are kept."""
        now = str(self._clock())
        await self._commit(lambda tx: meta.put(tx, _PAUSED, now), AuditAction.PAUSED, ResourceType.WORKSPACE)
        self._engine.pause()
        self._changes.notify(ResourceType.WORKSPACE)
        return await self._engine.health()

    async def resume_runs(self) -> EngineHealth:
        """Runs start again. Whoever resumes them has seen what was lost, if anything was."""

        def resume(tx: Tx) -> None:
            meta.remove(tx, _PAUSED)
            meta.remove(tx, LOST_COMMITS_KEY)

        await self._commit(resume, AuditAction.RESUMED, ResourceType.WORKSPACE)
        self._db.lost_commits = None
        self._engine.resume()
        self._changes.notify(ResourceType.WORKSPACE)
        return await self._engine.health()

    async def engine_settings(self) -> EngineSettings:
        return await self._db.read(_read_settings)

    async def change_engine_settings(
        self, settings: EngineSettings, fields: Collection[str] | None = None
    ) -> EngineSettings:
        """Takes effect at once. Raises `ValidationFailed` for limits on apps that are not there."""
        names = EngineSettings.model_fields if fields is None else fields
        chosen = {name: getattr(settings, name) for name in names}

        def store(tx: Tx) -> EngineSettings:
            before = _read_settings(tx)
            merged = before.model_copy(update=chosen)
            self._require_known_apps(merged, before)
            meta.put(tx, _SETTINGS, merged.model_dump_json())
            return merged

        stored = await self._commit(store, AuditAction.UPDATED, ResourceType.WORKSPACE)
        self._engine.settings_changed(stored)
        self._changes.notify(ResourceType.WORKSPACE)
        return stored

    async def storage_usage(self) -> StorageUsage:
        return await retention.storage_usage(self._db)

    async def clean_up_history(self) -> CleanupResult:
        """Remove now what the retention does not keep, and give the space back to the disk."""
        async with self._clean_up_lock:
            retention_settings = (await self.engine_settings()).retention
            done = await retention.apply_retention(self._db, retention_settings, self._clock())
            await self._record_audit_entry(AuditAction.CLEANED_UP, ResourceType.WORKSPACE)
        if done.removed:
            self._changes.notify(ResourceType.EXECUTION, action="deleted")
        return done

    def _require_known_apps(self, settings: EngineSettings, before: EngineSettings) -> None:
        """An app that went away since may keep its limit, so that the other settings can be changed."""
        known = {info.key for info in self._apps.infos()} | before.app_limits.keys()
        if unknown := sorted(settings.app_limits.keys() - known):
            words = f"There is no app “{unknown[0]}” here."
            raise ValidationFailed({"appLimits": [words]}, happened=words, todo="Limit apps that are there.")
