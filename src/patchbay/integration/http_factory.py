"""Creates the HTTP clients of apps. Imports httpx with the first client, so a workspace opens without it."""

import ssl
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from patchbay import __version__
from patchbay.domain.errors import Unreachable
from patchbay.domain.outgoing import is_loopback
from patchbay.integration.certificate_trust import CertificateTrust, tls_context
from patchbay.integration.outgoing_addresses import AddressPolicy, OutgoingGuard
from patchbay.integration.token_renewal import TokenRenewer

if TYPE_CHECKING:
    import httpx

    from patchbay.integration.context import Context
    from patchbay.integration.http_client import AppHttp

USER_AGENT = f"Patchbay/{__version__}"
DEFAULT_TIMEOUT = 30.0
MAX_CLIENTS = 64
"""Max. open clients; beyond that, the least recently used one is closed."""


@cache
def _default_tls() -> ssl.SSLContext:
    """The context of all clients without certificates of their own: reading the certificates takes 20 ms.

    Raises `Unreachable` if they can't be read.
    """
    import httpx

    try:
        return httpx.create_ssl_context()
    except OSError as error:  # also ssl.SSLError
        raise Unreachable(
            "The certificates of this computer can't be read.",
            meaning="No app can be verified without them, so nothing was sent.",
            todo="Check what SSL_CERT_FILE and SSL_CERT_DIR name, or unset them, and restart Patchbay.",
        ) from error


@dataclass(frozen=True)
class _ClientKey:
    """The calls that share a client.

    `version` is that of the rules for checking addresses, None for calls without a check. `user` is
    the connection or flow that the calls belong to.
    """

    version: int | None
    trust: CertificateTrust | None
    user: str


@dataclass(eq=False)
class _CountedClient:
    """A client, and the number of calls using it."""

    client: "httpx.AsyncClient"
    calls: int = 0


class HttpFactory:
    """Creates `AppHttp` clients. Only calls for the same connection or flow share open network connections.

    Use it within one event loop.

    `transport`, or a function that creates one, replaces the network (demo mode, tests). `timeout` is the
    total time for a response, in seconds. `address_overrides` maps an app key to the address used instead of
    its API base address, for acceptance tests; only loopback addresses are allowed, so that it can't divert
    credentials. `network` decides which addresses are blocked.
    """

    def __init__(
        self,
        transport: "httpx.AsyncBaseTransport | Callable[[], httpx.AsyncBaseTransport] | None" = None,
        timeout: float = DEFAULT_TIMEOUT,
        address_overrides: Mapping[str, str] | None = None,
        network: OutgoingGuard | None = None,
    ) -> None:
        self.timeout = timeout
        self.address_overrides = dict(address_overrides or {})
        self.token_renewer = TokenRenewer()
        for address in self.address_overrides.values():
            if not is_loopback(urlsplit(address).hostname or ""):
                raise ValueError(f"address overrides must point to this computer, not to {address}")
        self._transport = transport
        self.network = network or OutgoingGuard()
        self._default_client: httpx.AsyncClient | None = None
        self._clients: OrderedDict[_ClientKey, _CountedClient] = OrderedDict()
        self._outdated_clients: set[_CountedClient] = set()

    def client(self, ctx: "Context") -> "AppHttp":
        """A client for one call of app code."""
        from patchbay.integration.http_client import AppHttp

        return AppHttp(self, ctx)

    @property
    def default_client(self) -> "httpx.AsyncClient":
        """The client for Patchbay's own requests, and for all requests if a transport was passed."""
        if self._default_client is None:
            self._default_client = self._new_client(_default_tls())
        return self._default_client

    @asynccontextmanager
    async def client_for(
        self, policy: AddressPolicy, trust: CertificateTrust | None = None, user: str = ""
    ) -> "AsyncIterator[httpx.AsyncClient]":
        """The client for a call under this policy, trusting these certificates, until the response was read.

        Calls with an address check don't share network connections with others, nor with calls that were
        checked under earlier rules, because open connections aren't checked again. The same applies to
        certificates, and to `user` (connection or flow): bytes left over from one request must not become
        part of another user's. A client with earlier rules is closed when its last call ends.
        """
        if self._transport is not None:
            yield self.default_client
            return
        client_key = _ClientKey(self.network.version if policy.blocks else None, trust, user)
        if client_key not in self._clients:
            self._clients[client_key] = _CountedClient(self._create_client(client_key))
        self._clients.move_to_end(client_key)
        counted_client = self._clients[client_key]
        counted_client.calls += 1
        try:
            await self._retire_outdated(client_key)
            yield counted_client.client
        finally:
            counted_client.calls -= 1
            await self._close_unused(counted_client)

    async def _retire_outdated(self, newest: _ClientKey) -> None:
        """Remove clients with earlier rules and, if there are too many, the least recently used one."""
        old = [
            client_key
            for client_key in self._clients
            if client_key.version not in (None, self.network.version)
        ]
        if len(self._clients) - len(old) > MAX_CLIENTS:
            old.append(next(client_key for client_key in self._clients if client_key not in old))
        outdated = [self._clients.pop(client_key) for client_key in old if client_key != newest]
        self._outdated_clients.update(outdated)
        for counted_client in outdated:
            await self._close_unused(counted_client)

    async def _close_unused(self, counted_client: _CountedClient) -> None:
        if counted_client in self._outdated_clients and not counted_client.calls:
            self._outdated_clients.discard(counted_client)
            await counted_client.client.aclose()

    async def aclose(self) -> None:
        """Close all connections. The factory can be used again afterwards."""
        await self.token_renewer.wait_until_idle()
        clients = [
            self._default_client,
            *(counted_client.client for counted_client in (*self._outdated_clients, *self._clients.values())),
        ]
        self._default_client = None
        self._clients = OrderedDict()
        self._outdated_clients = set()
        for client in clients:
            if client is not None:
                await client.aclose()

    def _create_client(self, client_key: _ClientKey) -> "httpx.AsyncClient":
        import httpx

        tls = _default_tls()
        if client_key.trust is not None:
            tls = tls_context(client_key.trust, tls, httpx.create_ssl_context)
        if client_key.version is None:
            return self._new_client(tls)
        from patchbay.integration.http_transport import CheckedTransport

        return self._new_client(tls, CheckedTransport(self.network.strictest, tls))

    def _new_client(
        self, tls: ssl.SSLContext, checked: "httpx.AsyncBaseTransport | None" = None
    ) -> "httpx.AsyncClient":
        from http.cookiejar import CookieJar, DefaultCookiePolicy

        import httpx

        from patchbay.integration.http_transport import limit_interim_responses
        from patchbay.integration.response_bodies import ACCEPT_ENCODING

        # No cookies: one account's session must never be used for another.
        no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
        client = httpx.AsyncClient(
            transport=checked or (self._transport() if callable(self._transport) else self._transport),
            verify=tls,
            timeout=self.timeout,
            follow_redirects=False,
            cookies=no_cookies,
            headers={"User-Agent": USER_AGENT, "Accept-Encoding": ACCEPT_ENCODING},
        )
        if checked is None and self._transport is None:
            for transport in (client._transport, *client._mounts.values()):
                if isinstance(transport, httpx.AsyncHTTPTransport):
                    limit_interim_responses(transport._pool)
        return client
