"""The workspace itself: what it is, how its engine does, and what changes in it."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from patchbay.domain.backend import Capabilities, WorkspaceInfo
from patchbay.domain.engine import EngineHealth
from patchbay.server.access import Home
from patchbay.server.docs import answers, shows
from patchbay.server.envelope import One, one
from patchbay.server.events import EventStreams

router = APIRouter(tags=["workspace"])


class ServiceInfo(WorkspaceInfo):
    """What the service says about itself, with what its workspace cannot do."""

    capabilities: Capabilities = Capabilities()


@router.get("/info", responses=answers(One[ServiceInfo]))
async def info(home: Home) -> Response:
    """What this workspace is and what it cannot do."""
    known = await home.info()
    return one(ServiceInfo(**known.model_dump(), capabilities=home.capabilities))


@router.get("/health", responses=answers(One[EngineHealth]))
async def health(home: Home) -> Response:
    """How the engine does."""
    return one(await home.health())


@router.get("/events", responses=shows("text/event-stream", "Lines `data: {…}`, each a Change in JSON."))
async def events(request: Request, home: Home) -> Response:
    """Changes from now on as server-sent events, each a Change in JSON; a comment every few seconds."""
    streams: EventStreams = request.app.state.events
    return await streams.open(home.changes())
