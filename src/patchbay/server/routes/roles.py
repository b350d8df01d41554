"""What people may do."""

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.organise import Role
from patchbay.server.access import Home
from patchbay.server.docs import answers
from patchbay.server.envelope import Many, many

router = APIRouter(prefix="/roles", tags=["users"])


@router.get("", responses=answers(Many[Role]))
async def list_roles(home: Home) -> Response:
    """The roles people may have, from the one that may most to the one that may least."""
    return many(await home.list_roles())
