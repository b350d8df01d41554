"""Makes the HTTP clients of apps. httpx is loaded with the first of them: a workspace opens without it."""

from collections.abc import Callable, Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from patchbay import __version__
from patchbay.integration.outgoing import AddressPolicy, OutgoingGuard
from patchbay.integration.renewal import Renewals

if TYPE_CHECKING:
    import httpx

    from patchbay.integration.context import Context
    from patchbay.integration.http import AppHttp

DEFAULT_TIMEOUT = 30.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


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
            if urlsplit(address).hostname not in _LOOPBACK:
                raise ValueError(f"address overrides must point at this computer, not at {address}")
        self._transport = transport
        self.network = network or OutgoingGuard()
        self._pool: httpx.AsyncClient | None = None
        self._checked: tuple[int, httpx.AsyncClient] | None = None
        self._retired: list[httpx.AsyncClient] = []

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

    def pool_for(self, policy: AddressPolicy) -> "httpx.AsyncClient":
        """The client for calls under this policy.

        Calls that are checked share no connection with others, nor with those checked under earlier rules:
        a connection that is open already would not be checked again.
        """
        if not policy.blocks or self._transport is not None:
            return self.pool
        version = self.network.version
        if self._checked is not None and self._checked[0] != version:
            self._retired.append(self._checked[1])  # a request may still be on its way there
            self._checked = None
        if self._checked is None:
            from patchbay.integration.outgoing_http import CheckedTransport

            self._checked = version, self._make_pool(CheckedTransport(self.network.strictest))
        return self._checked[1]

    async def aclose(self) -> None:
        """Close all connections. The factory can be used again afterwards."""
        await self.renewals.settle()
        pools = [self._pool, self._checked and self._checked[1], *self._retired]
        self._pool, self._checked, self._retired = None, None, []
        for pool in pools:
            if pool is not None:
                await pool.aclose()

    def _make_pool(self, checked: "httpx.AsyncBaseTransport | None" = None) -> "httpx.AsyncClient":
        import httpx

        from patchbay.integration.answer_bodies import ACCEPT_ENCODING

        # No cookies: one account's session must never answer for another.
        no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
        return httpx.AsyncClient(
            transport=checked or (self._transport() if callable(self._transport) else self._transport),
            timeout=self.timeout,
            follow_redirects=False,
            cookies=no_cookies,
            headers={"User-Agent": f"Patchbay/{__version__}", "Accept-Encoding": ACCEPT_ENCODING},
        )
