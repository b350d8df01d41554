"""Turns away requests that a web page tricked a browser into sending to this computer (DNS rebinding)."""

from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from patchbay.domain.errors import Forbidden
from patchbay.server.failures import failure

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})


class HostCheck:
    """Lets only requests through whose Host header names this computer or a known public name."""

    def __init__(self, app: ASGIApp, public_hosts: Iterable[str] = ()) -> None:
        self._app = app
        self._allowed = LOOPBACK_NAMES | {host_name(host) for host in public_hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and host_name(_host_header(scope)) not in self._allowed:
            await failure(_refusal(_host_header(scope)))(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _refusal(host: str) -> Forbidden:
    return Forbidden(
        f"The service does not answer to the name “{host}”.",
        meaning="It listens on this computer only, and the request was addressed to another name.",
        todo="Use 127.0.0.1 or localhost, or set the public address of the service to that name.",
    )


def _host_header(scope: Scope) -> str:
    found = (value for name, value in scope["headers"] if name == b"host")
    return next(found, b"").decode("latin-1")


def host_name(host: str) -> str:
    """A host without its port: "[::1]:8787" is "::1"."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if host.count(":") == 1 else host
