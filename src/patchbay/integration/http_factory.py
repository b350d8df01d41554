"""Makes the HTTP clients of apps. httpx is loaded with the first of them: a workspace opens without it."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from patchbay import __version__
from patchbay.domain.outgoing import is_loopback
from patchbay.integration.outgoing import AddressPolicy, OutgoingGuard
from patchbay.integration.renewal import Renewals

if TYPE_CHECKING:
    import httpx

    from patchbay.integration.context import Context
    from patchbay.integration.http import AppHttp

DEFAULT_TIMEOUT = 30.0


@dataclass(eq=False)
class _CheckedClient:
    """The client for checked calls under one version of the rules, and how many calls use it now."""

    version: int
    client: "httpx.AsyncClient"
    calls: int = 0


class HttpFactory:
    """Makes `AppHttp` clients that share one connection pool. Use it within one event loop.

    `transport`, or what a function given in its place makes, answers instead of the network (demo mode,
    tests). `timeout` is the whole time an answer may take, in seconds. `address_overrides` maps an app key
    to the address used instead of its API base address: a seam for acceptance tests that takes loopback
    addresses only, so that no credential can be diverted by it. `network` says which addresses are blocked.
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
        self.renewals = Renewals()
        for address in self.address_overrides.values():
            if not is_loopback(urlsplit(address).hostname or ""):
                raise ValueError(f"address overrides must point at this computer, not at {address}")
        self._transport = transport
        self.network = network or OutgoingGuard()
        self._pool: httpx.AsyncClient | None = None
        self._checked: _CheckedClient | None = None
        self._replaced: set[_CheckedClient] = set()

    def client(self, ctx: "Context") -> "AppHttp":
        """A client for one call of app code."""
        from patchbay.integration.http import AppHttp

        return AppHttp(self, ctx)

    @property
    def pool(self) -> "httpx.AsyncClient":
        """The shared client, made when first needed: reading the certificates takes a while."""
        if self._pool is None:
            self._pool = self._make_pool()
        return self._pool

    @asynccontextmanager
    async def client_for(self, policy: AddressPolicy) -> "AsyncIterator[httpx.AsyncClient]":
        """The client for a call under this policy, until the response was read.

        Calls that are checked share no connection with others, nor with those checked under earlier rules:
        a connection that is open already would not be checked again. A client of earlier rules is closed
        when its last call ends.
        """
        if not policy.blocks or self._transport is not None:
            yield self.pool
            return
        while (checked := self._checked) is None or checked.version != self.network.version:
            await self._replace_checked()
        checked.calls += 1
        try:
            yield checked.client
        finally:
            checked.calls -= 1
            await self._close_unused(checked)

    async def _replace_checked(self) -> None:
        from patchbay.integration.outgoing_http import CheckedTransport

        before = self._checked
        client = self._make_pool(CheckedTransport(self.network.strictest))
        self._checked = _CheckedClient(self.network.version, client)
        if before is not None:
            self._replaced.add(before)
            await self._close_unused(before)

    async def _close_unused(self, checked: _CheckedClient) -> None:
        if checked in self._replaced and not checked.calls:
            self._replaced.discard(checked)
            await checked.client.aclose()

    async def aclose(self) -> None:
        """Close all connections. The factory can be used again afterwards."""
        await self.renewals.settle()
        checked = {*self._replaced, *([self._checked] if self._checked else [])}
        pools = [self._pool, *(each.client for each in checked)]
        self._pool, self._checked, self._replaced = None, None, set()
        for pool in pools:
            if pool is not None:
                await pool.aclose()

    def _make_pool(self, checked: "httpx.AsyncBaseTransport | None" = None) -> "httpx.AsyncClient":
        import httpx

        from patchbay.integration.answer_bodies import ACCEPT_ENCODING
        from patchbay.integration.interim_responses import limit_interim_responses

        # No cookies: one account's session must never answer for another.
        no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
        client = httpx.AsyncClient(
            transport=checked or (self._transport() if callable(self._transport) else self._transport),
            timeout=self.timeout,
            follow_redirects=False,
            cookies=no_cookies,
            headers={"User-Agent": f"Patchbay/{__version__}", "Accept-Encoding": ACCEPT_ENCODING},
        )
        if checked is None and self._transport is None:
            for transport in (client._transport, *client._mounts.values()):
                if isinstance(transport, httpx.AsyncHTTPTransport):
                    limit_interim_responses(transport._pool)
        return client
