"""The workspace: information, engine status, and change events."""

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
    """Information about the server, with the features it or the API key lacks."""

    capabilities: Capabilities = Capabilities()


@router.get("/info", responses=describe_responses(One[ServiceInfo]))
async def info(backend: RequestBackend, access: CallerAccess) -> Response:
    """Get information about the workspace, with the features it or the API key lacks."""
    known = await backend.info()
    return one(ServiceInfo(**known.model_dump(), capabilities=key_capabilities(backend.capabilities, access)))


@router.get("/health", responses=describe_responses(One[EngineHealth]))
async def health(backend: RequestBackend) -> Response:
    """Get the status of the engine."""
    return one(await backend.health())


@router.get(
    "/events", responses=describe_media("text/event-stream", "Lines `data: {…}`, each a Change in JSON.")
)
async def events(request: Request, backend: RequestBackend, access: CallerAccess) -> Response:
    """Stream changes as server-sent events, each a Change in JSON; a comment every 15 seconds.

    The stream ends when the key's permissions change or the key is revoked.
    """
    streams: EventStreams = request.app.state.events
    changes = until_access_changes(backend.changes(), is_closed=lambda: has_access_changed(request, access))
    return await streams.open(changes, access.key.id)
