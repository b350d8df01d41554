"""HTTP transports that check every address before connecting and limit interim responses (1xx)."""

import asyncio
import re
import ssl
from collections.abc import Iterable
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from patchbay.domain.errors import Forbidden
from patchbay.integration.outgoing_addresses import AddressPolicy, connect_to_first

MAX_INTERIM_RESPONSES = 20
"""Servers send one or two. Reading them costs more than sending them, so they must be limited."""
_INTERIM_STATUS_LINE = re.compile(rb"\s*HTTP/1\.[01] 1(?!01)[0-9][0-9]\b")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_MAX_HEAD_BYTES = 100 * 1024


class LimitedStream(httpcore.AsyncNetworkStream):
    """A network stream that reads at most `MAX_INTERIM_RESPONSES` interim responses per request."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self._reset()

    def _reset(self) -> None:
        self._head: bytearray | None = bytearray()
        """The bytes received since the last interim response; None once the final response has started."""
        self._interim_count = 0

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  httpcore's
        data = await self._stream.read(max_bytes, timeout)
        if self._head is not None:
            self._head += data
            self._count_interim_responses()
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109  httpcore's
        self._reset()
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109  httpcore names it so
    ) -> httpcore.AsyncNetworkStream:
        return LimitedStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def _count_interim_responses(self) -> None:
        """Raises `RemoteProtocolError` for too many interim responses."""
        assert self._head is not None
        while end := _HEAD_END.search(self._head):
            if not _INTERIM_STATUS_LINE.match(self._head):
                self._head = None
                return
            self._interim_count += 1
            if self._interim_count > MAX_INTERIM_RESPONSES:
                raise httpcore.RemoteProtocolError("too many interim responses")
            del self._head[: end.end()]
        if len(self._head) > _MAX_HEAD_BYTES:
            self._head = None  # longer than the max. head, which httpcore rejects


class LimitedBackend(httpcore.AsyncNetworkBackend):
    """Opens connections with `LimitedStream`."""

    def __init__(self, inner: httpcore.AsyncNetworkBackend) -> None:
        self._inner = inner

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  httpcore names it so
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        stream = await self._inner.connect_tcp(host, port, timeout, local_address, socket_options)
        return LimitedStream(stream)

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


def limit_interim_responses(pool: httpcore.AsyncConnectionPool) -> None:
    """Limit the interim responses of connections that this pool opens from now on."""
    # httpx's client has no parameter for a network backend. The pools of proxies are of this kind too.
    if not isinstance(getattr(pool, "_network_backend", None), httpcore.AsyncNetworkBackend):
        raise RuntimeError("This version of httpcore can't limit interim responses.")
    pool._network_backend = LimitedBackend(pool._network_backend)


# Transports that only connect to allowed addresses

_DEFAULT_PORTS = {"http": 80, "https": 443}


class CheckedTransport(httpx.AsyncBaseTransport):
    """Resolves the host, checks the address, and connects to exactly that address. Redirects are checked too.

    The Host header, TLS name, and certificate remain those of the URL. If the environment defines a proxy,
    the proxy connects; the name is resolved and checked here first.
    """

    def __init__(self, policy: AddressPolicy, tls: ssl.SSLContext) -> None:
        self._policy = policy
        self._tls = tls
        self._direct = httpx.AsyncHTTPTransport(verify=self._tls)
        # httpx has no parameter for a network backend; its transport only passes requests to this pool.
        if not isinstance(getattr(self._direct, "_pool", None), httpcore.AsyncConnectionPool):
            raise RuntimeError("This version of httpx can't be made to check addresses.")
        self._direct._pool = httpcore.AsyncConnectionPool(
            ssl_context=self._tls,
            network_backend=_CheckedBackend(policy),
            max_connections=100,
            max_keepalive_connections=20,
            keepalive_expiry=5.0,
        )
        self._proxy_transports: dict[str, httpx.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        if request.headers.get("host", "").lower() != url.netloc.decode("ascii").lower():
            # A front end for many sites routes by this header, not by the address that was checked.
            raise Forbidden(
                f"A Host header for another site ({request.headers['host'][:100]}) can't be sent.",
                meaning="Internal addresses are blocked, and a reverse proxy could use that name "
                "to reach one.",
                todo="Remove the header, or ask an admin to send the request.",
            )
        proxy = await asyncio.to_thread(_proxy_for, url)
        if proxy is None:
            return await self._direct.handle_async_request(request)
        try:
            await self._policy.require_allowed(url.host, url.port or _DEFAULT_PORTS.get(url.scheme, 0))
        except OSError as error:
            raise httpx.ConnectError(str(error), request=request) from error
        via_proxy = self._proxy_transports.get(proxy)
        if via_proxy is None:
            via_proxy = self._proxy_transports[proxy] = httpx.AsyncHTTPTransport(
                verify=self._tls, proxy=proxy
            )
            limit_interim_responses(via_proxy._pool)
        return await via_proxy.handle_async_request(request)

    async def aclose(self) -> None:
        for transport in (self._direct, *self._proxy_transports.values()):
            await transport.aclose()


class _CheckedBackend(httpcore.AsyncNetworkBackend):
    """Opens TCP connections to checked addresses only."""

    def __init__(self, policy: AddressPolicy) -> None:
        self._policy = policy
        self._inner: httpcore.AsyncNetworkBackend = LimitedBackend(httpcore.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  httpcore names it so
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            addresses = await self._policy.addresses_of(host, port)
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error

        async def connect(address: str) -> httpcore.AsyncNetworkStream:
            return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)

        if len(addresses) == 1:
            return await connect(addresses[0])
        return await connect_to_first(addresses, connect, httpcore.AsyncNetworkStream.aclose)

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


def _proxy_for(url: httpx.URL) -> str | None:
    """The system's proxy for this address, if any. May do a DNS lookup on Windows and macOS."""
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(url.host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"
