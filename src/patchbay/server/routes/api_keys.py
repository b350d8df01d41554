"""Keys of this interface, for programs of the same user and computer."""

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Request
from starlette.responses import Response

from patchbay.domain.access import ApiKey
from patchbay.domain.ports import ApiKeys
from patchbay.server.access import require_this_computer
from patchbay.server.docs import answers
from patchbay.server.envelope import Many, One, json_response, many, nothing

router = APIRouter(prefix="/api-keys", tags=["api keys"], dependencies=[Depends(require_this_computer)])

Name = Annotated[str, Body(embed=True, min_length=1, max_length=255)]


def _keys(request: Request) -> ApiKeys:
    keys: ApiKeys = request.app.state.api_keys
    return keys


Keys = Annotated[ApiKeys, Depends(_keys)]


@router.get("", responses=answers(Many[ApiKey]))
async def list_keys(keys: Keys) -> Response:
    """All keys, without their values."""
    return many(await keys.list())


@router.post("", status_code=201, responses=answers(One[ApiKey], 201, checked=True))
async def create_key(keys: Keys, name: Name) -> Response:
    """A new key; `meta.value` holds its value, this once."""
    key, value = await keys.create(name)
    return json_response({"data": key.wire(), "meta": {"type": "ApiKey", "value": value}}, 201)


@router.delete("/{keyId}", status_code=204, responses=answers(None, 204, missing=True))
async def revoke_key(keys: Keys, keyId: str) -> Response:  # noqa: N803  the wire's name
    """Let a key in no more."""
    await keys.revoke(keyId)
    return nothing()
