"""Turns away requests that a web page tricked a browser into sending to this computer (DNS rebinding)."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from starlette.types import ASGIApp, Receive, Scope, Send

from patchbay.domain.errors import Forbidden
from patchbay.server.failures import error_response

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})

PublicHosts: TypeAlias = Callable[[], Iterable[str]]
"""The names by which others reach the service now."""


def no_public_hosts() -> Iterable[str]:
    """The public names of a service that others do not reach."""
    return ()


class HostCheck:
    """Lets only requests through whose Host header names this computer or a known public name.

    Off loopback the address the request arrived at is good too, and without any public name every name is:
    nobody has told yet what others call this computer.
    """

    def __init__(
        self, app: ASGIApp, public_hosts: PublicHosts = no_public_hosts, *, loopback: bool = True
    ) -> None:
        self._app, self._public_hosts, self._loopback = app, public_hosts, loopback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._is_allowed(scope):
            await error_response(_host_error(_host_header(scope)))(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_allowed(self, scope: Scope) -> bool:
        name = host_name(_host_header(scope))
        if name in LOOPBACK_NAMES:
            return True
        known = {host_name(host) for host in self._public_hosts()}
        if self._loopback or known:
            return name in known or (not self._loopback and name == (scope["server"] or ("",))[0])
        return True


def _host_error(host: str) -> Forbidden:
    return Forbidden(
        f"The service does not answer to the name “{host}”.",
        meaning="It answers to the names of this computer and of its public address only.",
        todo="Use 127.0.0.1 or localhost, or set the public address of the service to that name.",
    )


def _host_header(scope: Scope) -> str:
    found = (value for name, value in scope["headers"] if name == b"host")
    return next(found, b"").decode("latin-1")


def host_name(host: str) -> str:
    """A host without its port: "[::1]:8787" is "::1"."""
    host = host.strip().lower()
    name, colon, port = host.rpartition(":")
    if colon and _is_port(port) and (name.startswith("[") or ":" not in name):
        host = name
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host


def _is_port(text: str) -> bool:
    return text == "" or (text.isascii() and text.isdigit())
