"""The workspace itself: what it is, how its engine does, and what changes in it."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from patchbay.domain.backend import Capabilities, WorkspaceInfo
from patchbay.domain.engine import EngineHealth
from patchbay.server.authentication import CallerAccess, RequestBackend, has_access_changed
from patchbay.server.authorization import key_capabilities
from patchbay.server.event_streams import EventStreams, until_access_changes
from patchbay.server.responses import One, describe_media, describe_responses, one

router = APIRouter(tags=["workspace"])


class ServiceInfo(WorkspaceInfo):
    """What the service says about itself, with what its workspace cannot do."""

    capabilities: Capabilities = Capabilities()


@router.get("/info", responses=describe_responses(One[ServiceInfo]))
async def info(backend: RequestBackend, access: CallerAccess) -> Response:
    """What this workspace is, and what it cannot do or this key may not."""
    known = await backend.info()
    return one(ServiceInfo(**known.model_dump(), capabilities=key_capabilities(backend.capabilities, access)))


@router.get("/health", responses=describe_responses(One[EngineHealth]))
async def health(backend: RequestBackend) -> Response:
    """How the engine does."""
    return one(await backend.health())


@router.get(
    "/events", responses=describe_media("text/event-stream", "Lines `data: {…}`, each a Change in JSON.")
)
async def events(request: Request, backend: RequestBackend, access: CallerAccess) -> Response:
    """Changes from now on as server-sent events, each a Change in JSON; a comment every few seconds.

    They end when the key opens something else than before, or nothing any more.
    """
    streams: EventStreams = request.app.state.events
    changes = until_access_changes(backend.changes(), is_closed=lambda: has_access_changed(request, access))
    return await streams.open(changes, access.key.id)
