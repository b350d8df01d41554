"""The engine as a whole: pause and resume, settings, and cleaning up the history."""

import asyncio
import logging
from collections.abc import Collection, Sequence
from functools import partial

from pydantic import ValidationError

from patchbay.domain.audit_log import AuditAction
from patchbay.domain.changes import ResourceType
from patchbay.domain.engine import CleanupResult, EngineHealth, EngineSettings, StorageUsage
from patchbay.domain.errors import ValidationFailed
from patchbay.integration.local_files import find_disk_problem, find_folder_problem
from patchbay.integration.program_paths import find_program_problem
from patchbay.service.service_context import ServiceContext
from patchbay.storage import retention
from patchbay.storage.commit_counter import LOST_COMMITS_KEY, PAUSED
from patchbay.storage.database import Database
from patchbay.storage.repositories import meta
from patchbay.storage.repositories.rows import Tx

log = logging.getLogger(__name__)

_SETTINGS = "engine.settings"
"""Key in `meta`; that of the pause is `PAUSED`."""


async def load_engine_state(db: Database) -> tuple[EngineSettings, bool]:
    """Return the stored engine settings, and whether all runs are paused."""

    def read(tx: Tx) -> tuple[EngineSettings, bool]:
        return _read_settings(tx), meta.get(tx, PAUSED) is not None

    return await db.read(read)


def _read_settings(tx: Tx) -> EngineSettings:
    text = meta.get(tx, _SETTINGS)
    if text is None:
        return EngineSettings()
    try:
        return EngineSettings.model_validate_json(text)
    except ValidationError as error:
        log.warning("the engine settings can't be read, so the defaults are used: %s", error)
        return EngineSettings()


def _find_folder_problem(folders: Sequence[str]) -> str:
    """Why steps can't use one of these folders, such as a whole disk; empty if they can."""
    return next(filter(None, (find_folder_problem(one) or find_disk_problem(one) for one in folders)), "")


def _find_program_problem(programs: Sequence[str], folders: Sequence[str]) -> str:
    """Why steps can't run one of these programs, such as a shell; empty if they can."""
    return next(filter(None, (find_program_problem(one, folders) for one in programs)), "")


class EngineControl:
    """Pause, settings and history retention of the engine, for all flows together."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self._clean_up_lock = asyncio.Lock()

    async def pause_runs(self) -> EngineHealth:
        """Start no run, poll or schedule until `resume_runs`, even after a restart. Webhooks are queued."""
        now = str(self._context.clock())
        await self._context.commit(
            lambda tx: meta.put(tx, PAUSED, now), AuditAction.PAUSED, ResourceType.WORKSPACE
        )
        self._context.engine.pause()
        self._context.changes.notify(ResourceType.WORKSPACE)
        return await self._context.engine.health()

    async def resume_runs(self) -> EngineHealth:
        """Resume all runs. This also acknowledges commits lost in a crash, if there were any."""

        def resume(tx: Tx) -> None:
            meta.remove(tx, PAUSED)
            meta.remove(tx, LOST_COMMITS_KEY)

        await self._context.commit(resume, AuditAction.RESUMED, ResourceType.WORKSPACE)
        self._context.db.lost_commits = None
        self._context.engine.resume()
        self._context.changes.notify(ResourceType.WORKSPACE)
        return await self._context.engine.health()

    async def engine_settings(self) -> EngineSettings:
        return await self._context.db.read(_read_settings)

    async def change_engine_settings(
        self, settings: EngineSettings, fields: Collection[str] | None = None
    ) -> EngineSettings:
        """Store these settings; they take effect at once.

        Raises `ValidationFailed` for limits on unknown apps.
        """
        names = EngineSettings.model_fields if fields is None else fields
        chosen = {name: getattr(settings, name) for name in names}
        await self._require_valid_folders(chosen.get("allowed_folders", ()))
        await self._require_valid_programs(chosen.get("allowed_programs", ()))

        def store(tx: Tx) -> EngineSettings:
            before = _read_settings(tx)
            merged = before.model_copy(update=chosen)
            # Stored limits of apps that were removed since may stay.
            known = {info.key for info in self._context.apps.infos()} | before.app_limits.keys()
            if unknown := sorted(merged.app_limits.keys() - known):
                words = f"There is no app “{unknown[0]}”."
                raise ValidationFailed(
                    {"appLimits": [words]}, happened=words, todo="Remove the limit, or install the app."
                )

            meta.put(tx, _SETTINGS, merged.model_dump_json())
            return merged

        stored = await self._context.commit(store, AuditAction.UPDATED, ResourceType.WORKSPACE)
        self._context.engine.settings_changed(stored)
        self._context.changes.notify(ResourceType.WORKSPACE)
        return stored

    async def _require_valid_folders(self, folders: Sequence[str]) -> None:
        known = (await self.engine_settings()).allowed_folders
        new = [folder for folder in folders if folder not in known]
        if new and (problem := await self._context.engine.files.run(partial(_find_folder_problem, new))):
            raise ValidationFailed(
                {"allowedFolders": [problem]},
                happened=problem,
                todo="Enter the full path of a folder on the computer that runs the flows.",
            )

    async def _require_valid_programs(self, programs: Sequence[str]) -> None:
        known = await self.engine_settings()
        new = [program for program in programs if program not in known.allowed_programs]
        find = partial(_find_program_problem, new, known.allowed_folders)
        if new and (problem := await self._context.engine.files.run(find)):
            raise ValidationFailed({"allowedPrograms": [problem]}, happened=problem)  # it says what to do

    async def storage_usage(self) -> StorageUsage:
        return await retention.storage_usage(self._context.db)

    async def clean_up_history(self) -> CleanupResult:
        """Apply the retention settings now and free the disk space."""
        async with self._clean_up_lock:
            retention_settings = (await self.engine_settings()).retention
            done = await retention.apply_retention(
                self._context.db, retention_settings, self._context.clock()
            )
            await self._context.record_audit_entry(AuditAction.CLEANED_UP, ResourceType.WORKSPACE)
        if done.removed:
            self._context.changes.notify(ResourceType.EXECUTION, action="deleted")
        return done
