"""The listening socket: uvicorn inside an asyncio loop that already runs."""

import asyncio
import contextlib
import errno
import math
import os
import socket
import ssl
from collections.abc import Generator

import uvicorn
from fastapi import FastAPI

from patchbay.domain.errors import AppError, Conflict, Forbidden, Unreachable
from patchbay.server.acceptor import Acceptor
from patchbay.server.client_address import ClientAddress
from patchbay.server.events import EventStreams
from patchbay.server.hosts import LOOPBACK_NAMES, HostCheck, PublicHosts, no_public_hosts
from patchbay.server.limits import DEFAULT_LIMITS, ConnectionLimits
from patchbay.server.protocol import HttpProtocol, drop_least_needed
from patchbay.server.proxies import NO_PROXIES, TrustedProxies
from patchbay.server.secure import SecureHeaders
from patchbay.server.wellformed import RequestHeadCheck

_BACKLOG = 1024
_TICK_SECONDS = 1.0


class HttpListener:
    """Serves an application at an address, encrypted when `tls` is given.

    `port` 0 takes any free one. `public_hosts` gives the names by which others reach the service. On a
    loopback host only requests addressed to this computer or to one of them are answered; on other hosts,
    any name is good as long as there is none of them. `proxies` may say for whom they call.
    """

    def __init__(
        self, app: FastAPI, host: str, port: int, *, public_hosts: PublicHosts = no_public_hosts,
        tls: ssl.SSLContext | None = None, limits: ConnectionLimits = DEFAULT_LIMITS,
        proxies: TrustedProxies = NO_PROXIES,
    ) -> None:  # fmt: skip
        self._host, self._port, self._scheme = host, port, "https" if tls else "http"
        self._events: EventStreams = app.state.events
        checked = HostCheck(app, public_hosts, loopback=host in LOOPBACK_NAMES)
        outermost = ClientAddress(SecureHeaders(RequestHeadCheck(checked, limits.head_length)), proxies)
        config = uvicorn.Config(
            outermost, lifespan="off",
            http=type("Protocol", (HttpProtocol,), {"limits": limits}), ws="none", log_config=None,
            access_log=False, proxy_headers=False, server_header=False,
            timeout_keep_alive=math.ceil(limits.keep_alive_seconds), log_level="error",
            h11_max_incomplete_event_size=limits.head_length,
        )  # fmt: skip
        self._server = _Server(config, tls, limits)
        self._serving: asyncio.Task[None] | None = None

    @property
    def open_connections(self) -> int:
        """How many callers are connected."""
        return len(self._server.server_state.connections)

    async def start(self) -> str:
        """Listen; returns the base address once it answers. Raises an `AppError` when the port is taken."""
        sock = _bind(self._host, self._port)
        port = sock.getsockname()[1]
        self._serving = asyncio.create_task(self._server.serve([sock]), name="patchbay-http")
        ready = asyncio.create_task(self._server.ready.wait())
        await asyncio.wait((ready, self._serving), return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if self._serving.done():
            await self._serving
            raise Unreachable(f"Nothing could be started on port {port}.", todo="Look at the log.")
        return f"{self._scheme}://{url_host(self._host)}:{port}"

    async def stop(self, grace: float = 5.0) -> None:
        """Take no new requests, finish those under way within `grace` seconds, and close."""
        if self._serving is None:
            return
        self._events.close()
        self._server.config.timeout_graceful_shutdown = max(1, math.ceil(grace))
        self._server.request_exit()
        await self._serving
        self._serving = None
        for connection in list(self._server.server_state.connections):
            connection.transport.abort()


class _Server(uvicorn.Server):
    """uvicorn without signal handlers, with events for "it answers now" and "stop", and a slow tick."""

    def __init__(self, config: uvicorn.Config, tls: ssl.SSLContext | None, limits: ConnectionLimits) -> None:
        super().__init__(config)
        self._tls, self._handshake_timeout = tls, limits.handshake_seconds if tls else None
        self._max_connections = limits.connections
        self.ready = asyncio.Event()
        self._exit_requested = asyncio.Event()

    def request_exit(self) -> None:
        self.should_exit = True
        self._exit_requested.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Like uvicorn's, with an accept loop that stays calm, and a limit on agreeing on the encryption."""
        self.servers: list[Acceptor] = [  # type: ignore[assignment]
            Acceptor(
                sock,
                self._protocol,
                self._make_room,
                self._tls,
                self._handshake_timeout,
                max_handshakes=max(2, self._max_connections // 2),
            )
            for sock in sockets or ()
        ]
        self.started = True
        self.ready.set()

    def _protocol(self) -> HttpProtocol:
        return self.config.http_protocol_class(  # type: ignore[call-arg, return-value]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )

    def _make_room(self) -> None:
        drop_least_needed(self.server_state.connections)

    async def main_loop(self) -> None:
        """Refresh the date header once a second; uvicorn's own loop wakes ten times and leaves later."""
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_TICK_SECONDS):
                    await self._exit_requested.wait()


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, or asyncio leaves Nagle's algorithm on and every answer with a body waits 40 ms.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere this would let two programs share a port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(_BACKLOG)
    except OSError as error:
        sock.close()
        raise _bind_error(host, port, error) from error
    return sock


def _bind_error(host: str, port: int, error: OSError) -> AppError:
    todo = "Choose another port with --port, or 0 for any free one."
    if error.errno == errno.EADDRINUSE:
        meaning = "Another program, perhaps another Patchbay, listens there."
        return Conflict(f"Port {port} on {host} is already in use.", meaning=meaning, todo=todo)
    if error.errno == errno.EACCES:
        meaning = "The system keeps ports below 1024 for programs with special rights."
        return Forbidden(f"Port {port} on {host} may not be used.", meaning=meaning, todo=todo)
    return Unreachable(
        f"The address {host}, port {port}, cannot be listened on: {error.strerror}.",
        todo="Choose an address of this computer with --host; 127.0.0.1 always works.",
    )


def url_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host
