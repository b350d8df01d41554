"""Connections and browser sign-ins. Credentials are never returned."""

import asyncio
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from patchbay.domain.connections import Connection, SignIn
from patchbay.domain.errors import NotFound
from patchbay.server.authentication import RequestBackend
from patchbay.server.request_models import (
    CameBack,
    ConnectionName,
    ConnectionValues,
    FinishSignIn,
    NewConnection,
    NewCredentials,
    NewRateLimit,
)
from patchbay.server.request_parameters import ConnectionPath, OptionalAppKey, SignInPath, is_uuid
from patchbay.server.responses import Many, One, Pending, describe_responses, many, no_content, one, pending
from patchbay.server.routing import ResourceRouter

router = ResourceRouter(prefix="/connections", tags=["connections"])


@router.get("", responses=describe_responses(Many[Connection]))
async def list_connections(
    backend: RequestBackend, app_key: Annotated[OptionalAppKey, Query(alias="appKey")] = None
) -> Response:
    """List all connections, or those of one app."""
    return many(await backend.list_connections(app_key))


@router.post(
    "",
    status_code=201,
    responses=describe_responses(One[Connection], 201, not_found=True, invalid=True, conflict=True),
)
async def add_connection(backend: RequestBackend, body: NewConnection) -> Response:
    """Verify credentials with the third party and store them; rejected ones aren't stored."""
    return one(await backend.add_connection(body.app_key, body.formatted_data), 201)


@router.post(
    "/auth-url",
    status_code=201,
    responses=describe_responses(One[SignIn], 201, not_found=True, invalid=True, conflict=True),
)
async def begin_sign_in(backend: RequestBackend, body: NewConnection) -> Response:
    """Start a sign-in at the third party; open `url` in the browser."""
    return one(await backend.begin_sign_in(body.app_key, body.formatted_data), 201)


@router.get("/{connectionId}", responses=describe_responses(One[Connection], not_found=True))
async def get_connection(backend: RequestBackend, connection_id: ConnectionPath) -> Response:
    """Get a connection, without its credentials."""
    return one(await backend.get_connection(connection_id))


@router.patch("/{connectionId}", responses=describe_responses(One[Connection], not_found=True, invalid=True))
async def rename_connection(
    backend: RequestBackend, connection_id: ConnectionPath, body: ConnectionName
) -> Response:
    """Rename a connection."""
    return one(await backend.rename_connection(connection_id, body.screen_name))


@router.patch(
    "/{connectionId}/rate-limit", responses=describe_responses(One[Connection], not_found=True, invalid=True)
)
async def set_connection_rate_limit(
    backend: RequestBackend, connection_id: ConnectionPath, body: NewRateLimit
) -> Response:
    """Set the rate limit of a connection, which all flows share."""
    return one(await backend.set_connection_rate_limit(connection_id, body.rate_limit))


@router.delete("/{connectionId}", status_code=204, responses=describe_responses(None, 204, not_found=True))
async def delete_connection(backend: RequestBackend, connection_id: ConnectionPath) -> Response:
    """Delete a connection; it can be restored. A minute later, its sign-in is ended if possible."""
    await backend.delete_connection(connection_id)
    return no_content()


@router.post(
    "/{connectionId}/verify",
    responses=describe_responses(One[Connection], not_found=True, invalid=True, conflict=True),
)
async def reconnect(backend: RequestBackend, connection_id: ConnectionPath, body: NewCredentials) -> Response:
    """Verify new credentials; they replace the old ones only if they work."""
    accept = body.accept_other_account
    return one(await backend.reconnect(connection_id, body.formatted_data, accept_other_account=accept))


@router.post(
    "/{connectionId}/auth-url",
    status_code=201,
    responses=describe_responses(One[SignIn], 201, not_found=True, invalid=True, conflict=True),
)
async def sign_in_again(
    backend: RequestBackend, connection_id: ConnectionPath, body: ConnectionValues
) -> Response:
    """Start reconnecting in the browser; the old credentials are used until it's finished."""
    connection = await backend.get_connection(connection_id)
    return one(await backend.begin_sign_in(connection.app_key, body.formatted_data, connection_id), 201)


@router.post(
    "/{connectionId}/duplicate",
    status_code=201,
    responses=describe_responses(One[Connection], 201, not_found=True, invalid=True),
)
async def duplicate_connection(
    backend: RequestBackend, connection_id: ConnectionPath, body: ConnectionName
) -> Response:
    """Create a second connection with the same credentials."""
    return one(await backend.duplicate_connection(connection_id, body.screen_name), 201)


@router.post("/{connectionId}/test", responses=describe_responses(One[Connection], not_found=True))
async def test_connection(backend: RequestBackend, connection_id: ConnectionPath) -> Response:
    """Check with the third party whether the credentials are still valid."""
    return one(await backend.test_connection(connection_id))


@router.post("/{connectionId}/restore", responses=describe_responses(One[Connection], not_found=True))
async def restore_connection(backend: RequestBackend, connection_id: ConnectionPath) -> Response:
    """Restore a deleted connection."""
    return one(await backend.restore_connection(connection_id))


WAIT_SECONDS = 20.0
"""How long one request waits; clients that want to wait longer repeat it."""

sign_in_router = ResourceRouter(prefix="/sign-ins", tags=["connections"])


@sign_in_router.post(
    "/{signInId}/finish",
    responses=describe_responses(
        One[Connection], not_found=True, invalid=True, conflict=True, other_successes={202: Pending}
    ),
)
async def finish_sign_in(backend: RequestBackend, sign_in_id: SignInPath, body: FinishSignIn) -> Response:
    """Wait for the browser sign-in and store the connection; 202 without data while it's pending."""
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
    """Submit the URL to which the browser was redirected."""
    await backend.submit_callback(sign_in_id, body.address)
    return no_content()


@sign_in_router.delete(
    "/{signInId}", status_code=204, responses=describe_responses(None, 204, not_found=True)
)
async def cancel_sign_in(backend: RequestBackend, sign_in_id: SignInPath) -> Response:
    """Cancel a sign-in. Unknown ones are ignored."""
    if not is_uuid(sign_in_id):
        raise NotFound("This isn't a sign-in: its ID is malformed.")
    await backend.cancel_sign_in(sign_in_id)
    return no_content()
