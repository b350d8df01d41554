"""The engine: status, settings, pausing all runs, and the disk usage of the history."""

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.base import Model
from patchbay.domain.engine import CleanupResult, EngineHealth, EngineSettings, StorageUsage
from patchbay.server.authentication import RequestBackend, admin_only
from patchbay.server.request_models import EngineEdit
from patchbay.server.responses import One, describe_responses, one

router = APIRouter(tags=["engine"])


class EngineState(Model):
    """The engine's status and settings."""

    health: EngineHealth
    settings: EngineSettings


@router.get("/engine", responses=describe_responses(One[EngineState]))
@admin_only
async def engine(backend: RequestBackend) -> Response:
    """Get the engine's status and settings."""
    return one(EngineState(health=await backend.health(), settings=await backend.engine_settings()))


@router.patch("/engine", responses=describe_responses(One[EngineSettings], invalid=True))
@admin_only
async def change_engine_settings(backend: RequestBackend, body: EngineEdit) -> Response:
    """Change the given settings, effective immediately. Nested ones (retention, app limits) are replaced."""
    settings = EngineSettings.model_validate(body.model_dump())
    return one(await backend.change_engine_settings(settings, body.model_fields_set))


@router.post("/engine/pause", responses=describe_responses(One[EngineHealth]))
@admin_only
async def pause_runs(backend: RequestBackend) -> Response:
    """Pause all runs, polls, and schedules, even after a restart; webhooks are queued."""
    return one(await backend.pause_runs())


@router.post("/engine/resume", responses=describe_responses(One[EngineHealth]))
@admin_only
async def resume_runs(backend: RequestBackend) -> Response:
    """Resume all runs, with the events queued meanwhile."""
    return one(await backend.resume_runs())


@router.get("/storage", responses=describe_responses(One[StorageUsage]))
@admin_only
async def storage_usage(backend: RequestBackend) -> Response:
    """Get the disk usage of the workspace."""
    return one(await backend.storage_usage())


@router.post("/storage/tidy", responses=describe_responses(One[CleanupResult]))
@admin_only
async def clean_up_history(backend: RequestBackend) -> Response:
    """Delete executions beyond the retention now, and free disk space."""
    return one(await backend.clean_up_history())
