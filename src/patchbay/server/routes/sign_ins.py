"""Sign-ins in the browser that are under way."""

import asyncio

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.connections import Connection
from patchbay.domain.errors import NotFound
from patchbay.server.access import RequestBackend
from patchbay.server.bodies import CameBack, FinishSignIn
from patchbay.server.docs import describe_responses
from patchbay.server.envelope import One, Pending, no_content, one, pending
from patchbay.server.params import SignInPath, is_uuid

WAIT_SECONDS = 20.0
"""How long one request waits; whoever wants to wait longer asks again."""

sign_in_router = APIRouter(prefix="/sign-ins", tags=["connections"])


@sign_in_router.post(
    "/{signInId}/finish",
    responses=describe_responses(
        One[Connection], not_found=True, invalid=True, conflict=True, other_successes={202: Pending}
    ),
)
async def finish_sign_in(backend: RequestBackend, sign_in_id: SignInPath, body: FinishSignIn) -> Response:
    """Wait for the browser and store the connection; 202 without data while it has not come back."""
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            found = await backend.finish_sign_in(sign_in_id, accept_other_account=body.accept_other_account)
    except TimeoutError:
        return pending()
    return one(found)


@sign_in_router.post(
    "/{signInId}/callback",
    status_code=204,
    responses=describe_responses(None, 204, not_found=True, invalid=True),
)
async def submit_callback(backend: RequestBackend, sign_in_id: SignInPath, body: CameBack) -> Response:
    """Hand in the address the browser ended at."""
    await backend.submit_callback(sign_in_id, body.address)
    return no_content()


@sign_in_router.delete(
    "/{signInId}", status_code=204, responses=describe_responses(None, 204, not_found=True)
)
async def cancel_sign_in(backend: RequestBackend, sign_in_id: SignInPath) -> Response:
    """Give a sign-in up; nothing happens when it is unknown."""
    if not is_uuid(sign_in_id):
        raise NotFound("This is not a sign-in: its id is malformed.")
    await backend.cancel_sign_in(sign_in_id)
    return no_content()
