"""Who may ask: the API key of the interface, and the Backend an endpoint works on."""

from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader

from patchbay.domain.access import ApiKey
from patchbay.domain.backend import Backend
from patchbay.domain.errors import AuthRequired, Forbidden
from patchbay.domain.ports import ATTACHED, ApiKeys

HEADER = "x-api-token"

_header = APIKeyHeader(name=HEADER, scheme_name="ApiKeyAuth", auto_error=False)

_WHAT_TO_DO = f"Send a key of this service in the header {HEADER}; “patchbay api-key create” makes one."


async def require_key(request: Request, value: Annotated[str | None, Security(_header)]) -> None:
    """Let the request pass when it carries a known key."""
    if not value:
        raise AuthRequired("The request carries no API key.", todo=_WHAT_TO_DO)
    keys: ApiKeys = request.app.state.api_keys
    key = await keys.check(value)
    if key is None:
        raise AuthRequired("The API key of the request is not known here.", todo=_WHAT_TO_DO)
    request.state.api_key = key


async def require_this_computer(request: Request) -> None:
    """Let only programs of the same user and computer pass, after `require_key`."""
    key: ApiKey = request.state.api_key
    if key.id != ATTACHED:
        raise Forbidden(
            "API keys are managed on the computer that runs the service.",
            todo="Use “patchbay api-key” there.",
        )


def _backend(request: Request) -> Backend:
    backend: Backend = request.app.state.backend
    return backend


Home = Annotated[Backend, Depends(_backend)]
"""The workspace behind the interface."""
