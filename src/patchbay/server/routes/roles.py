"""What people may do."""

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.organise import Role
from patchbay.server.access import RequestBackend
from patchbay.server.docs import describe_responses
from patchbay.server.envelope import Many, many

role_router = APIRouter(prefix="/roles", tags=["users"])


@role_router.get("", responses=describe_responses(Many[Role]))
async def list_roles(backend: RequestBackend) -> Response:
    """The roles people may have, from the one that may most to the one that may least."""
    return many(await backend.list_roles())
