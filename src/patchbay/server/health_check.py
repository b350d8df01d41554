"""The health check and the metrics of a worker, over HTTP without the server's API."""

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol, TypeAlias

from patchbay import __version__
from patchbay.domain.engine import EngineHealth, EngineState
from patchbay.domain.errors import Conflict, StorageFault
from patchbay.server.connection_limits import network_of
from patchbay.server.host_names import LOOPBACK_NAMES, is_allowed_host

MAX_HEALTH_CONNECTIONS = 32
MAX_FROM_ONE_NETWORK = 24
"""Max. connections of one client, so that it can't keep the health check of another one from working."""
METRICS_SECONDS = 2.0
"""How long the metrics are cached, so that frequent requests don't burden the database."""
_METRICS = re.compile(rb"(GET|HEAD) /metrics[ ?]")
_MAX_REQUEST_BYTES = 8_192
_REQUEST_SECONDS = 3.0
"""For sending a request. Health checks send theirs at once."""
_RESPONSE_SECONDS = 10.0

_Response: TypeAlias = tuple[str, bytes, str]
"""The status, the body, and its content type."""
_WRONG_HOST: _Response = (
    "403 Forbidden",
    b'{"error": "Use 127.0.0.1 or localhost as the host name."}',
    "application/json",
)
_MALFORMED: _Response = ("400 Bad Request", b'{"error": "The request is malformed."}', "application/json")


class CheckedEngine(Protocol):
    """The engine of the worker, as far as its health check needs it."""

    @property
    def state(self) -> EngineState:
        """Whether it runs."""
        ...

    async def health(self) -> EngineHealth:
        """Its state in detail, for the metrics. Raises `StorageFault`."""
        ...


class HealthCheck:
    """The HTTP server on a worker's health port, which says whether the worker works.

    It responds to each request: 200 while the worker runs and events can be stored, otherwise 503. `/metrics`
    returns the metrics of this worker. With `MAX_HEALTH_CONNECTIONS` connections, or
    `MAX_FROM_ONE_NETWORK` of its network, a new one ends the one of these that has waited longest without a
    request, so that slow clients can't keep a check from working. `check_storage` raises `StorageFault` if
    events can't be stored.
    """

    def __init__(
        self,
        engine: CheckedEngine,
        check_storage: Callable[[], Awaitable[None]],
        public_hosts: Callable[[], Iterable[str]],
    ) -> None:
        self._engine, self._check_storage, self._public_hosts = engine, check_storage, public_hosts
        self._metrics = _CachedMetrics(self._read_metrics)
        self._server: asyncio.Server | None = None
        self._is_loopback = True
        self._open: Counter[str] = Counter()
        """The number of open connections by network."""
        self._waiting: dict[asyncio.StreamWriter, str] = {}
        """The networks of connections without a request, the oldest first."""

    async def listen(self, host: str, port: int) -> str:
        """Listen, and return the address. Raises `Conflict` for a port in use."""
        self._is_loopback = host in LOOPBACK_NAMES
        try:
            self._server = await asyncio.start_server(self._respond, host, port, limit=_MAX_REQUEST_BYTES)
        except OSError as error:
            raise Conflict(
                f"Port {port} can't be used for the health check: {error.strerror or error}.",
                todo="Choose another one with --health-port.",
            ) from error
        found = self._server.sockets[0].getsockname()
        return f"http://{f'[{host}]' if ':' in host else host}:{found[1]}/healthcheck"

    def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()

    async def _respond(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        network = network_of((writer.get_extra_info("peername") or ("",))[0])
        if not self._make_room(network):
            writer.transport.abort()
            return
        self._open[network] += 1
        try:
            request = await self._read_request(reader, writer, network)
            async with asyncio.timeout(_RESPONSE_SECONDS):
                status, body, kind = await self._response(request)
                head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}"
                writer.write(f"{head}\r\nconnection: close\r\n\r\n".encode())
                if not request.startswith(b"HEAD "):
                    writer.write(body)
                await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            writer.transport.abort()  # the client is gone, too slow, or doesn't speak HTTP
        finally:
            self._open[network] -= 1
            if not self._open[network]:
                del self._open[network]
            writer.close()

    def _make_room(self, network: str) -> bool:
        """Whether there is room for another connection of this network, if needed after ending one."""
        is_crowding = self._open[network] >= MAX_FROM_ONE_NETWORK
        if not is_crowding and self._open.total() < MAX_HEALTH_CONNECTIONS:
            return True
        spare = (writer for writer, other in self._waiting.items() if not is_crowding or other == network)
        if (oldest := next(spare, None)) is None:
            return False
        del self._waiting[oldest]
        oldest.transport.abort()  # its task ends when it next runs
        return True

    async def _read_request(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, network: str
    ) -> bytes:
        self._waiting[writer] = network
        try:
            async with asyncio.timeout(_REQUEST_SECONDS):
                return await reader.readuntil(b"\r\n\r\n")
        finally:
            self._waiting.pop(writer, None)

    async def _response(self, request: bytes) -> _Response:
        try:
            host = _host_header(request)
        except ValueError:
            return _MALFORMED
        # Off loopback, every name is accepted: a worker has none of its own that it could know.
        public_hosts = self._public_hosts() if self._is_loopback else ()
        # Without the header, it isn't from a browser. Simple health checks leave it out.
        if host is not None and not is_allowed_host(host, public_hosts, "", loopback=self._is_loopback):
            return _WRONG_HOST
        return await (self._metrics() if _METRICS.match(request) else self._state())

    async def _read_metrics(self) -> _Response:
        from patchbay.server.metrics import engine_metrics_text  # slow to import, and not always requested

        try:
            health = await self._engine.health()
        except StorageFault:
            return await self._state()
        return "200 OK", *engine_metrics_text(health, __version__)

    async def _state(self) -> _Response:
        problem = "The engine isn't running." if self._engine.state is EngineState.STOPPED else ""
        try:
            await self._check_storage()
        except StorageFault as fault:
            problem = fault.happened
        status = "503 Service Unavailable" if problem else "200 OK"
        state = {"status": "failed", "error": problem} if problem else {"status": "running"}
        body = json.dumps({**state, "version": __version__}).encode()
        return status, body, "application/json"


class _CachedMetrics:
    """Reads the metrics at most once in `METRICS_SECONDS`, however many requests there are."""

    def __init__(self, read: Callable[[], Awaitable[_Response]]) -> None:
        self._read = read
        self._lock = asyncio.Lock()
        self._read_at = 0.0
        self._found: _Response | None = None

    async def __call__(self) -> _Response:
        async with self._lock:
            if self._found is None or time.monotonic() - self._read_at >= METRICS_SECONDS:
                self._found = await self._read()
                self._read_at = time.monotonic()
            return self._found


def _host_header(request: bytes) -> str | None:
    """The value of the Host header; None without one. Raises `ValueError` for a malformed head.

    Proxies read lines that don't end with CR LF, and repeated headers, in different ways.
    """
    lines = request.removesuffix(b"\r\n\r\n").split(b"\r\n")
    if any(b"\r" in line or b"\n" in line for line in lines):
        raise ValueError("a line doesn't end with CR LF")
    hosts = []
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        if not colon or name != name.strip():
            raise ValueError("a line isn't a header")
        if name.lower() == b"host":
            hosts.append(value.decode("latin-1"))
    if len(hosts) > 1:
        raise ValueError("several Host headers")
    return hosts[0] if hosts else None
