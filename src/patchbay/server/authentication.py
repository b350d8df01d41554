"""Authentication by API key: the sender of a request, the scope it needs, and the rate limit on wrong keys.

After ten wrong keys in a minute from one address, further wrong keys from there get status 429, for twice as
long each time, up to an hour. A valid key always works, from there too, so people behind the same router or
proxy aren't locked out. That makes guessing no easier, because a key is 384 random bits; it limits how many
guesses are processed and logged. When many addresses guess at once, each is allowed one wrong key instead of
ten.
"""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader

from patchbay.domain.access import AccessGrant, Scope
from patchbay.domain.audit_log import Actor, ActorKind, current_actor
from patchbay.domain.backend import Backend
from patchbay.domain.errors import AuthRequired, Forbidden, RateLimited
from patchbay.domain.ports import ATTACHED_KEY_ID, ApiKeys
from patchbay.domain.request_context import caller_disconnected, current_run_root, root_id_from_headers
from patchbay.server.authorization import AuthorizedBackend, describe_scope
from patchbay.server.connection_limits import network_of

MINUTE = 60.0
MAX_WRONG_KEYS = 10
"""Wrong keys per minute from one address."""
MAX_WRONG_KEYS_IN_TOTAL = 100
"""Wrong keys per minute from all addresses; above that, each address may send one."""
INITIAL_WAIT, MAX_WAIT = 30.0, 3600.0
"""Seconds."""
MAX_ADDRESSES = 4096

log = logging.getLogger(__name__)


class _Count:
    """Counts events within a minute, which starts with the first event."""

    def __init__(self) -> None:
        self._started_at, self._count = 0.0, 0

    def add(self, now: float) -> int:
        """Count one event; returns the count within the current minute."""
        if now - self._started_at >= MINUTE:
            self._started_at, self._count = now, 0
        self._count += 1
        return self._count

    def clear(self) -> None:
        self._count = 0


class _AddressState:
    """Wrong keys and blocks of one address."""

    def __init__(self) -> None:
        self.wrong = _Count()
        self.blocked_until, self.blocks = 0.0, 0

    def block(self, now: float) -> float:
        """Block the address; returns for how many seconds."""
        if now - self.blocked_until > MAX_WAIT:
            self.blocks = 0
        seconds = min(INITIAL_WAIT * 2.0**self.blocks, MAX_WAIT)
        self.blocked_until, self.blocks = now + seconds, self.blocks + 1
        self.wrong.clear()
        return seconds


class WrongKeyThrottle:
    """Limits wrong keys per address; remembers up to `MAX_ADDRESSES` addresses. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._addresses: OrderedDict[str, _AddressState] = OrderedDict()
        self._wrong = _Count()

    def record_wrong_key(self, address: str) -> None:
        """Count a wrong key. Raises `RateLimited` while the address is blocked."""
        network = network_of(address)
        state = self._addresses.setdefault(network, _AddressState())
        self._addresses.move_to_end(network)
        if len(self._addresses) > MAX_ADDRESSES:
            self._addresses.popitem(last=False)

        now = self._clock()
        left = state.blocked_until - now
        if left > 0:
            raise RateLimited(
                "Too many invalid keys from this address.",
                retry_after=left,
                meaning="Invalid keys from this address are rejected until the wait is over.",
                todo="Check the key, and try again later.",
            )

        allowed = MAX_WRONG_KEYS if self._wrong.add(now) <= MAX_WRONG_KEYS_IN_TOTAL else 1
        if state.wrong.add(now) >= allowed:
            log.warning("invalid keys from %s: rejected for %.0f s", address, state.block(now))


# API keys and scopes

API_KEY_HEADER = "x-api-token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

E = TypeVar("E", bound=Callable[..., Any])

key_header = APIKeyHeader(name=API_KEY_HEADER, scheme_name="ApiKeyAuth", auto_error=False)
_required_scopes: dict[Callable[..., Any], Scope] = {}

_SEND_KEY_HINT = (
    f"Send an API key of this server in the header {API_KEY_HEADER}. "
    "Create one with “patchbay api-key create”."
)


def endpoint_scope(scope: Scope) -> Callable[[E], E]:
    """Mark an endpoint that needs another scope than its method implies: read for GET, else operate."""

    def mark(endpoint: E) -> E:
        _required_scopes[endpoint] = scope
        return endpoint

    return mark


admin_only = endpoint_scope(Scope.ADMIN)
read_only = endpoint_scope(Scope.READ)


def required_scope(endpoint: Callable[..., Any], method: str) -> Scope:
    """The scope a key needs for an endpoint."""
    return _required_scopes.get(endpoint, Scope.READ if method in SAFE_METHODS else Scope.OPERATE)


async def require_key(request: Request, value: Annotated[str | None, Security(key_header)]) -> AccessGrant:
    """Check the request's API key and scope, and set the actor. Raises `AuthRequired`, `Forbidden`."""
    if not value:
        raise AuthRequired("The request has no API key.", todo=_SEND_KEY_HINT)
    keys: ApiKeys = request.app.state.api_keys
    access = await keys.check(value)
    if access is None:
        throttle: WrongKeyThrottle = request.app.state.throttle
        throttle.record_wrong_key(_address(request) or "?")
        raise AuthRequired("The request's API key is invalid.", todo=_SEND_KEY_HINT)
    await keys.used(access)
    needed = required_scope(request.scope["endpoint"], request.method)
    if not access.scope.allows(needed):
        raise Forbidden(
            f"The API key “{access.key.name}” doesn't allow this.",
            meaning=f"{describe_scope(access)}; this needs “{needed}”.",
            todo="Use another key, or ask an admin for one.",
        )

    current_actor.set(_actor(access, request))
    current_run_root.set(root_id_from_headers(request.headers))
    caller_disconnected.set(partial(_until_disconnected, request))
    return access


async def _until_disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass  # discard the rest of an unread body


async def has_access_changed(request: Request, access: AccessGrant) -> bool:
    """Whether the permissions of the request's key have changed, or the key was revoked."""
    keys: ApiKeys = request.app.state.api_keys
    current = await keys.check(request.headers.get(API_KEY_HEADER, ""))
    return current is None or (current.scope, current.person) != (access.scope, access.person)


CallerAccess = Annotated[AccessGrant, Depends(require_key)]
"""The permissions of the request's API key."""


def _actor(access: AccessGrant, request: Request) -> Actor:
    if access.key.id == ATTACHED_KEY_ID:
        return Actor(kind=ActorKind.COMMAND, name=access.key.name, scope=access.scope)
    return Actor(
        kind=ActorKind.KEY,
        id=access.key.id,
        name=access.key.name,
        user_id=access.key.user_id,
        address=_address(request),
        scope=access.scope,
    )


def _address(request: Request) -> str | None:
    return request.client.host if request.client else None


async def _unrestricted_backend(request: Request) -> Backend:
    if current_actor.get() is None:
        # Changes without a key are recorded as made by the program, with the address of the request.
        current_actor.set(Actor(kind=ActorKind.PROGRAM, name="", address=_address(request)))
    backend: Backend = request.app.state.backend
    return backend


async def _request_backend(request: Request, access: CallerAccess) -> Backend:
    return AuthorizedBackend(await _unrestricted_backend(request), request.app.state.api_keys, access)


RequestBackend = Annotated[Backend, Depends(_request_backend)]
"""The workspace, limited to what the request's API key allows."""

UnrestrictedBackend = Annotated[Backend, Depends(_unrestricted_backend)]
"""The unlimited workspace, for the few endpoints that need no key and show no user's data."""
