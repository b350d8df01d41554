"""The engine: how it does and is set, holding all runs, and what the history takes up."""

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.base import Model
from patchbay.domain.engine import CleanupResult, EngineHealth, EngineSettings, StorageUsage
from patchbay.server.authentication import RequestBackend, admin_only
from patchbay.server.request_models import EngineEdit
from patchbay.server.responses import One, describe_responses, one

router = APIRouter(tags=["engine"])


class EngineState(Model):
    """How the engine does, and how it is set."""

    health: EngineHealth
    settings: EngineSettings


@router.get("/engine", responses=describe_responses(One[EngineState]))
@admin_only
async def engine(backend: RequestBackend) -> Response:
    """How the engine does, and how it is set."""
    return one(EngineState(health=await backend.health(), settings=await backend.engine_settings()))


@router.patch("/engine", responses=describe_responses(One[EngineSettings], invalid=True))
@admin_only
async def change_engine_settings(backend: RequestBackend, body: EngineEdit) -> Response:
    """Change the given settings, each as a whole. Takes effect at once."""
    settings = EngineSettings.model_validate(body.model_dump())
    return one(await backend.change_engine_settings(settings, body.model_fields_set))


@router.post("/engine/pause", responses=describe_responses(One[EngineHealth]))
@admin_only
async def pause_runs(backend: RequestBackend) -> Response:
    """Start no run, poll or schedule, also after a restart; webhooks are taken and wait."""
    return one(await backend.pause_runs())


@router.post("/engine/resume", responses=describe_responses(One[EngineHealth]))
@admin_only
async def resume_runs(backend: RequestBackend) -> Response:
    """Go on, with what came in meanwhile."""
    return one(await backend.resume_runs())


@router.get("/storage", responses=describe_responses(One[StorageUsage]))
@admin_only
async def storage_usage(backend: RequestBackend) -> Response:
    """What the workspace takes on the disk."""
    return one(await backend.storage_usage())


@router.post("/storage/tidy", responses=describe_responses(One[CleanupResult]))
@admin_only
async def clean_up_history(backend: RequestBackend) -> Response:
    """Remove now what is not to be kept, and give the space back to the disk."""
    return one(await backend.clean_up_history())
