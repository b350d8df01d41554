"""Connections. Credentials go in with create and verify, and never come out."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from patchbay.domain.connections import Connection, SignIn
from patchbay.server.access import Home
from patchbay.server.bodies import (
    ConnectionName,
    ConnectionValues,
    NewConnection,
    NewCredentials,
    NewRateLimit,
)
from patchbay.server.docs import answers
from patchbay.server.envelope import Many, One, many, nothing, one
from patchbay.server.params import ConnectionPath, Text

router = APIRouter(prefix="/connections", tags=["connections"])


@router.get("", responses=answers(Many[Connection]))
async def list_connections(home: Home, app_key: Annotated[Text, Query(alias="appKey")] = None) -> Response:
    """All connections, or those of one app."""
    return many(await home.list_connections(app_key))


@router.post(
    "", status_code=201, responses=answers(One[Connection], 201, missing=True, checked=True, conflict=True)
)
async def add_connection(home: Home, body: NewConnection) -> Response:
    """Verify credentials with the third party and store them; a refusal stores nothing."""
    return one(await home.add_connection(body.app_key, body.formatted_data), 201)


@router.post(
    "/auth-url",
    status_code=201,
    responses=answers(One[SignIn], 201, missing=True, checked=True, conflict=True),
)
async def begin_sign_in(home: Home, body: NewConnection) -> Response:
    """Prepare signing in at the third party in the browser; `url` is the page to open."""
    return one(await home.begin_sign_in(body.app_key, body.formatted_data), 201)


@router.get("/{connectionId}", responses=answers(One[Connection], missing=True))
async def get_connection(home: Home, connection_id: ConnectionPath) -> Response:
    """One connection, without its secrets."""
    return one(await home.get_connection(connection_id))


@router.patch("/{connectionId}", responses=answers(One[Connection], missing=True, checked=True))
async def rename_connection(home: Home, connection_id: ConnectionPath, body: ConnectionName) -> Response:
    """Give a connection another name."""
    return one(await home.rename_connection(connection_id, body.screen_name))


@router.patch("/{connectionId}/rate-limit", responses=answers(One[Connection], missing=True, checked=True))
async def limit_connection(home: Home, connection_id: ConnectionPath, body: NewRateLimit) -> Response:
    """How many calls a time all flows together may make with it."""
    return one(await home.limit_connection(connection_id, body.rate_limit))


@router.delete("/{connectionId}", status_code=204, responses=answers(None, 204, missing=True))
async def delete_connection(home: Home, connection_id: ConnectionPath) -> Response:
    """Hide a connection; restore brings it back."""
    await home.delete_connection(connection_id)
    return nothing()


@router.post(
    "/{connectionId}/verify", responses=answers(One[Connection], missing=True, checked=True, conflict=True)
)
async def reconnect(home: Home, connection_id: ConnectionPath, body: NewCredentials) -> Response:
    """Verify new credentials on the side and swap them in on success."""
    accept = body.accept_other_account
    return one(await home.reconnect(connection_id, body.formatted_data, accept_other_account=accept))


@router.post("/{connectionId}/auth-url", status_code=201,
             responses=answers(One[SignIn], 201, missing=True, checked=True, conflict=True))  # fmt: skip
async def sign_in_again(home: Home, connection_id: ConnectionPath, body: ConnectionValues) -> Response:
    """Prepare reconnecting in the browser; the old credentials work until that is finished."""
    connection = await home.get_connection(connection_id)
    return one(await home.begin_sign_in(connection.app_key, body.formatted_data, connection_id), 201)


@router.post("/{connectionId}/duplicate", status_code=201,
             responses=answers(One[Connection], 201, missing=True, checked=True))  # fmt: skip
async def duplicate_connection(home: Home, connection_id: ConnectionPath, body: ConnectionName) -> Response:
    """A second connection with the same credentials."""
    return one(await home.duplicate_connection(connection_id, body.screen_name), 201)


@router.post("/{connectionId}/test", responses=answers(One[Connection], missing=True))
async def test_connection(home: Home, connection_id: ConnectionPath) -> Response:
    """Ask the third party whether the credentials still hold."""
    return one(await home.test_connection(connection_id))


@router.post("/{connectionId}/restore", responses=answers(One[Connection], missing=True))
async def restore_connection(home: Home, connection_id: ConnectionPath) -> Response:
    """Bring a deleted connection back."""
    return one(await home.restore_connection(connection_id))
