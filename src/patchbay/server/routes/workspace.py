"""The workspace itself: what it is, how its engine does, and what changes in it."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from patchbay.domain.backend import Capabilities, WorkspaceInfo
from patchbay.domain.engine import EngineHealth
from patchbay.server.abilities import abilities
from patchbay.server.access import Asking, Home, opens_otherwise
from patchbay.server.docs import answers, shows
from patchbay.server.envelope import One, one
from patchbay.server.events import EventStreams, until

router = APIRouter(tags=["workspace"])


class ServiceInfo(WorkspaceInfo):
    """What the service says about itself, with what its workspace cannot do."""

    capabilities: Capabilities = Capabilities()


@router.get("/info", responses=answers(One[ServiceInfo]))
async def info(home: Home, access: Asking) -> Response:
    """What this workspace is, and what it cannot do or this key may not."""
    known = await home.info()
    return one(ServiceInfo(**known.model_dump(), capabilities=abilities(home.capabilities, access)))


@router.get("/health", responses=answers(One[EngineHealth]))
async def health(home: Home) -> Response:
    """How the engine does."""
    return one(await home.health())


@router.get("/events", responses=shows("text/event-stream", "Lines `data: {…}`, each a Change in JSON."))
async def events(request: Request, home: Home, access: Asking) -> Response:
    """Changes from now on as server-sent events, each a Change in JSON; a comment every few seconds.

    They end when the key opens something else than before, or nothing any more.
    """
    streams: EventStreams = request.app.state.events
    told = until(home.changes(), closed=lambda: opens_otherwise(request, access))
    return await streams.open(told, access.key.id)
