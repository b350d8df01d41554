"""Who may ask, and how far: the API key of the interface, and the Backend an endpoint works on."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader

from patchbay.domain.access import AccessGrant, Scope
from patchbay.domain.audit import Actor, ActorKind, current_actor
from patchbay.domain.backend import Backend
from patchbay.domain.calls import caller_disconnected
from patchbay.domain.errors import AuthRequired, Forbidden
from patchbay.domain.ports import ATTACHED_KEY_ID, ApiKeys
from patchbay.domain.run_trees import current_run_root, root_id_from_headers
from patchbay.server.personal import authorize, describe_scope
from patchbay.server.throttle import WrongKeyThrottle

API_KEY_HEADER = "x-api-token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

E = TypeVar("E", bound=Callable[..., Any])

key_header = APIKeyHeader(name=API_KEY_HEADER, scheme_name="ApiKeyAuth", auto_error=False)
_required_scopes: dict[Callable[..., Any], Scope] = {}

_SEND_KEY_HINT = (
    f"Send a key of this service in the header {API_KEY_HEADER}; “patchbay api-key create” makes one."
)


def requires_scope(scope: Scope) -> Callable[[E], E]:
    """Marks an endpoint that needs another scope than its method tells: GET read, everything else operate."""

    def mark(endpoint: E) -> E:
        _required_scopes[endpoint] = scope
        return endpoint

    return mark


admin_only = requires_scope(Scope.ADMIN)
read_only = requires_scope(Scope.READ)


def required_scope(endpoint: Callable[..., Any], method: str) -> Scope:
    """What a key must be allowed to use an endpoint."""
    return _required_scopes.get(endpoint, Scope.READ if method in SAFE_METHODS else Scope.OPERATE)


async def require_key(request: Request, value: Annotated[str | None, Security(key_header)]) -> AccessGrant:
    """Let the request pass when it carries a known key that may do this, and say who acts from here on."""
    if not value:
        raise AuthRequired("The request carries no API key.", todo=_SEND_KEY_HINT)
    keys: ApiKeys = request.app.state.api_keys
    access = await keys.check(value)
    if access is None:
        _throttle_guesses(request)
        raise AuthRequired("The API key of the request is not known here.", todo=_SEND_KEY_HINT)
    await keys.used(access)
    _require_scope(access, required_scope(request.scope["endpoint"], request.method))
    current_actor.set(_actor(access, request))
    current_run_root.set(root_id_from_headers(request.headers))
    caller_disconnected.set(partial(_until_disconnected, request))
    return access


async def _until_disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass  # the rest of a body that nobody reads


async def has_access_changed(request: Request, access: AccessGrant) -> bool:
    """Whether the key of the request opens something else by now, or nothing any more."""
    keys: ApiKeys = request.app.state.api_keys
    current = await keys.check(request.headers.get(API_KEY_HEADER, ""))
    return current is None or (current.scope, current.person) != (access.scope, access.person)


CallerAccess = Annotated[AccessGrant, Depends(require_key)]
"""What opens to whoever asks."""


def _throttle_guesses(request: Request) -> None:
    """Raises `RateLimited` for whoever guesses keys."""
    throttle: WrongKeyThrottle = request.app.state.throttle
    throttle.record_wrong_key(_address(request) or "?")


def _require_scope(access: AccessGrant, needed: Scope) -> None:
    if not access.scope.allows(needed):
        raise Forbidden(
            f"The API key “{access.key.name}” may not do this.",
            meaning=f"{describe_scope(access)}; this needs “{needed}”.",
            todo="Use another key, or ask an admin of the service for one.",
        )


def _actor(access: AccessGrant, request: Request) -> Actor:
    if access.key.id == ATTACHED_KEY_ID:
        return Actor(kind=ActorKind.COMMAND, name=access.key.name, scope=access.scope)
    return Actor(
        kind=ActorKind.KEY, id=access.key.id, name=access.key.name, user_id=access.key.user_id,
        address=_address(request), scope=access.scope,
    )  # fmt: skip


def _address(request: Request) -> str | None:
    return request.client.host if request.client else None


async def _unrestricted_backend(request: Request) -> Backend:
    if current_actor.get() is None:
        # Whoever opened the workspace acts when nobody says who does; a request without a key isn't theirs.
        current_actor.set(Actor(kind=ActorKind.PROGRAM, name="", address=_address(request)))
    backend: Backend = request.app.state.backend
    return backend


async def _request_backend(request: Request, access: CallerAccess) -> Backend:
    return authorize(await _unrestricted_backend(request), request.app.state.api_keys, access)


RequestBackend = Annotated[Backend, Depends(_request_backend)]
"""The workspace behind the interface, as far as the key of the request reaches."""

UnrestrictedBackend = Annotated[Backend, Depends(_unrestricted_backend)]
"""The whole workspace, for the few addresses that need no key and show nothing of anybody."""
