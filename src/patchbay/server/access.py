"""Who may ask, and how far: the API key of the interface, and the Backend an endpoint works on."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader

from patchbay.domain.access import Access, Scope
from patchbay.domain.audit import Actor, ActorKind, acting
from patchbay.domain.backend import Backend
from patchbay.domain.calls import until_caller_gone
from patchbay.domain.errors import AuthRequired, Forbidden
from patchbay.domain.ports import ATTACHED, ApiKeys
from patchbay.domain.run_trees import caused_by, root_of
from patchbay.server.personal import authorized, scope_words
from patchbay.server.throttle import Throttle

HEADER = "x-api-token"
READS = frozenset({"GET", "HEAD", "OPTIONS"})

E = TypeVar("E", bound=Callable[..., Any])

key_header = APIKeyHeader(name=HEADER, scheme_name="ApiKeyAuth", auto_error=False)
_needs: dict[Callable[..., Any], Scope] = {}

_WHAT_TO_DO = f"Send a key of this service in the header {HEADER}; “patchbay api-key create” makes one."


def needs(scope: Scope) -> Callable[[E], E]:
    """Marks an endpoint that needs another scope than its method tells: GET read, everything else operate."""

    def mark(endpoint: E) -> E:
        _needs[endpoint] = scope
        return endpoint

    return mark


admin_only = needs(Scope.ADMIN)
reads_only = needs(Scope.READ)


def scope_of(endpoint: Callable[..., Any], method: str) -> Scope:
    """What a key must be allowed to use an endpoint."""
    return _needs.get(endpoint, Scope.READ if method in READS else Scope.OPERATE)


async def require_key(request: Request, value: Annotated[str | None, Security(key_header)]) -> Access:
    """Let the request pass when it carries a known key that may do this, and say who acts from here on."""
    if not value:
        raise AuthRequired("The request carries no API key.", todo=_WHAT_TO_DO)
    keys: ApiKeys = request.app.state.api_keys
    access = await keys.check(value)
    if access is None:
        _throttle_guesses(request)
        raise AuthRequired("The API key of the request is not known here.", todo=_WHAT_TO_DO)
    await keys.used(access)
    _require_scope(access, scope_of(request.scope["endpoint"], request.method))
    acting.set(_actor(access, request))
    caused_by.set(root_of(request.headers))
    until_caller_gone.set(partial(_until_disconnected, request))
    return access


async def _until_disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass  # the rest of a body that nobody reads


async def opens_otherwise(request: Request, access: Access) -> bool:
    """Whether the key of the request opens something else by now, or nothing any more."""
    keys: ApiKeys = request.app.state.api_keys
    now = await keys.check(request.headers.get(HEADER, ""))
    return now is None or (now.scope, now.person) != (access.scope, access.person)


Asking = Annotated[Access, Depends(require_key)]
"""What opens to whoever asks."""


def _throttle_guesses(request: Request) -> None:
    """Raises `RateLimited` for whoever guesses keys."""
    throttle: Throttle = request.app.state.throttle
    throttle.refused(_address(request) or "?")


def _require_scope(access: Access, wanted: Scope) -> None:
    if not access.scope.allows(wanted):
        raise Forbidden(
            f"The API key “{access.key.name}” may not do this.",
            meaning=f"{scope_words(access)}; this needs “{wanted}”.",
            todo="Use another key, or ask an admin of the service for one.",
        )


def _actor(access: Access, request: Request) -> Actor:
    if access.key.id == ATTACHED:
        return Actor(kind=ActorKind.COMMAND, name=access.key.name, scope=access.scope)
    return Actor(
        kind=ActorKind.KEY, id=access.key.id, name=access.key.name, user_id=access.key.user_id,
        address=_address(request), scope=access.scope,
    )  # fmt: skip


def _address(request: Request) -> str | None:
    return request.client.host if request.client else None


async def _whole(request: Request) -> Backend:
    if acting.get() is None:
        # Whoever opened the workspace acts when nobody says who does; a request without a key isn't theirs.
        acting.set(Actor(kind=ActorKind.PROGRAM, name="", address=_address(request)))
    backend: Backend = request.app.state.backend
    return backend


async def _seen(request: Request, access: Asking) -> Backend:
    return authorized(await _whole(request), request.app.state.api_keys, access)


Home = Annotated[Backend, Depends(_seen)]
"""The workspace behind the interface, as far as the key of the request reaches."""

Whole = Annotated[Backend, Depends(_whole)]
"""The whole workspace, for the few addresses that need no key and show nothing of anybody."""
