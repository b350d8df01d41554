"""API keys."""

from typing import Annotated

from fastapi import Path
from starlette.responses import Response

from patchbay.domain.access import ApiKey, Scope
from patchbay.domain.base import UserId
from patchbay.server.authentication import RequestBackend, admin_only
from patchbay.server.request_models import Body, Name
from patchbay.server.request_parameters import Id, WellFormedId
from patchbay.server.responses import Many, Meta, One, describe_responses, json_response, many, no_content
from patchbay.server.routing import ResourceRouter

router = ResourceRouter(prefix="/api-keys", tags=["api keys"])

KeyPath = Annotated[Id[str], Path(alias="keyId")]


class NewKey(Body):
    """An API key to create, for a user or without one."""

    name: Name
    scope: Scope = Scope.ADMIN
    user_id: WellFormedId[UserId] | None = None


class KeyMeta(Meta):
    """Metadata of a new API key; `value` is the key itself, which is shown only once."""

    value: str


class MadeKey(One[ApiKey]):
    """A new API key."""

    meta: KeyMeta


@router.get("", responses=describe_responses(Many[ApiKey]))
@admin_only
async def list_api_keys(backend: RequestBackend) -> Response:
    """List all API keys, oldest first, without their values."""
    return many(await backend.list_api_keys())


@router.post("", status_code=201, responses=describe_responses(MadeKey, 201, not_found=True, invalid=True))
@admin_only
async def create_api_key(backend: RequestBackend, body: NewKey) -> Response:
    """Create an API key; `meta.value` is the key itself, which is shown only once."""
    made = await backend.create_api_key(body.name, body.scope, body.user_id)
    meta = KeyMeta(type="ApiKey", count=1, is_array=False, value=made.value)
    return json_response({"data": made.key, "meta": meta}, 201)


@router.delete("/{keyId}", status_code=204, responses=describe_responses(None, 204, not_found=True))
@admin_only
async def revoke_api_key(backend: RequestBackend, key_id: KeyPath) -> Response:
    """Revoke an API key."""
    await backend.revoke_api_key(key_id)
    return no_content()
