"""The engine: how it does and is set, holding all runs, and what the history takes up."""

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.base import Model
from patchbay.domain.engine import EngineHealth, EngineSettings, StorageUse, Tidied
from patchbay.server.access import Home, admin_only
from patchbay.server.bodies import EngineEdit
from patchbay.server.docs import answers
from patchbay.server.envelope import One, one

router = APIRouter(tags=["engine"])


class EngineState(Model):
    """How the engine does, and how it is set."""

    health: EngineHealth
    settings: EngineSettings


@router.get("/engine", responses=answers(One[EngineState]))
@admin_only
async def engine(home: Home) -> Response:
    """How the engine does, and how it is set."""
    return one(EngineState(health=await home.health(), settings=await home.engine_settings()))


@router.patch("/engine", responses=answers(One[EngineSettings], checked=True))
@admin_only
async def change_engine_settings(home: Home, body: EngineEdit) -> Response:
    """Change the given settings, each as a whole. Takes effect at once."""
    settings = EngineSettings.model_validate(body.model_dump())
    return one(await home.change_engine_settings(settings, body.model_fields_set))


@router.post("/engine/pause", responses=answers(One[EngineHealth]))
@admin_only
async def pause_runs(home: Home) -> Response:
    """Start no run, poll or schedule, also after a restart; webhooks are taken and wait."""
    return one(await home.pause_runs())


@router.post("/engine/resume", responses=answers(One[EngineHealth]))
@admin_only
async def resume_runs(home: Home) -> Response:
    """Go on, with what came in meanwhile."""
    return one(await home.resume_runs())


@router.get("/storage", responses=answers(One[StorageUse]))
@admin_only
async def storage_use(home: Home) -> Response:
    """What the workspace takes on the disk."""
    return one(await home.storage_use())


@router.post("/storage/tidy", responses=answers(One[Tidied]))
@admin_only
async def tidy_history(home: Home) -> Response:
    """Remove now what is not to be kept, and give the space back to the disk."""
    return one(await home.tidy_history())
