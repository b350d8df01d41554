"""Limits how many interim responses, such as `100 Continue`, a server may send before its response."""

import re
import ssl
from collections.abc import Iterable
from typing import Any

import httpcore

MOST_INTERIM = 20
"""Servers send one or two. Reading them costs far more than sending them, and they never have to end."""
_INTERIM = re.compile(rb"\s*HTTP/1\.[01] 1(?!01)[0-9][0-9]\b")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_LONGEST_HEAD = 100 * 1024


class LimitedStream(httpcore.AsyncNetworkStream):
    """A connection that reads at most `MOST_INTERIM` interim responses after each request."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self._begin()

    def _begin(self) -> None:
        self._head: bytearray | None = bytearray()
        """What was received since the last interim response; None once the response itself has begun."""
        self._interim = 0

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  httpcore's
        data = await self._stream.read(max_bytes, timeout)
        if self._head is not None:
            self._head += data
            self._count()
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109  httpcore's
        self._begin()
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

    def _count(self) -> None:
        """Raises `RemoteProtocolError` for one interim response too many."""
        assert self._head is not None
        while end := _HEAD_END.search(self._head):
            if not _INTERIM.match(self._head):
                self._head = None
                return
            self._interim += 1
            if self._interim > MOST_INTERIM:
                raise httpcore.RemoteProtocolError("too many interim responses")
            del self._head[: end.end()]
        if len(self._head) > _LONGEST_HEAD:
            self._head = None  # longer than a head may be, which is found where it is read


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
    """Let the connections that this pool opens from now on read a limited number of interim responses."""
    # httpx and httpcore take no network backend through httpx's client; proxies have pools of this kind too.
    if not isinstance(getattr(pool, "_network_backend", None), httpcore.AsyncNetworkBackend):
        raise RuntimeError("This version of httpcore can't limit interim responses.")
    pool._network_backend = LimitedBackend(pool._network_backend)
