"""Sign-ins in the browser that are under way."""

import asyncio

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.connections import Connection
from patchbay.domain.errors import NotFound
from patchbay.server.access import Home
from patchbay.server.bodies import CameBack, FinishSignIn
from patchbay.server.docs import answers
from patchbay.server.envelope import One, Pending, later, nothing, one
from patchbay.server.params import SignInPath, is_uuid

WAIT_SECONDS = 20.0
"""How long one request waits; whoever wants to wait longer asks again."""

router = APIRouter(prefix="/sign-ins", tags=["connections"])


@router.post(
    "/{signInId}/finish",
    responses=answers(One[Connection], missing=True, checked=True, conflict=True, also={202: Pending}),
)
async def finish_sign_in(home: Home, sign_in_id: SignInPath, body: FinishSignIn) -> Response:
    """Wait for the browser and store the connection; 202 without data while it has not come back."""
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            found = await home.finish_sign_in(sign_in_id, accept_other_account=body.accept_other_account)
    except TimeoutError:
        return later()
    return one(found)


@router.post(
    "/{signInId}/callback", status_code=204, responses=answers(None, 204, missing=True, checked=True)
)
async def paste_callback(home: Home, sign_in_id: SignInPath, body: CameBack) -> Response:
    """Hand in the address the browser ended at."""
    await home.paste_callback(sign_in_id, body.address)
    return nothing()


@router.delete("/{signInId}", status_code=204, responses=answers(None, 204, missing=True))
async def cancel_sign_in(home: Home, sign_in_id: SignInPath) -> Response:
    """Give a sign-in up; nothing happens when it is unknown."""
    if not is_uuid(sign_in_id):
        raise NotFound("This is not a sign-in: its id is malformed.")
    await home.cancel_sign_in(sign_in_id)
    return nothing()
