"""The listening socket: uvicorn inside an asyncio loop that already runs."""

import asyncio
import contextlib
import errno
import math
import os
import socket
from collections.abc import Generator, Iterable

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from patchbay.domain.errors import AppError, Conflict, Forbidden, Unreachable
from patchbay.server.events import EventStreams
from patchbay.server.hosts import LOOPBACK_NAMES, HostCheck

KEEP_ALIVE_SECONDS = 60
HEAD_SECONDS = 30
"""How long a caller may take for the request line and the headers, however slowly the bytes come."""
_BACKLOG = 1024
_TICK_SECONDS = 1.0


class HttpListener:
    """Serves an application at an address.

    `port` 0 takes any free one. On a loopback host only requests addressed to this computer, or to one of
    `public_hosts`, are answered.
    """

    def __init__(self, app: FastAPI, host: str, port: int, *, public_hosts: Iterable[str] = ()) -> None:
        self._host, self._port = host, port
        self._events: EventStreams = app.state.events
        guarded = HostCheck(app, public_hosts) if host in LOOPBACK_NAMES else app
        self._server = _Server(
            uvicorn.Config(
                guarded, lifespan="off", http=_Protocol, ws="none", log_config=None, access_log=False,
                proxy_headers=False, server_header=False, timeout_keep_alive=KEEP_ALIVE_SECONDS,
                log_level="warning",
            )
        )  # fmt: skip
        self._serving: asyncio.Task[None] | None = None

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
        return f"http://{_in_address(self._host)}:{port}"

    async def stop(self, grace: float = 5.0) -> None:
        """Take no new requests, finish those under way within `grace` seconds, and close."""
        if self._serving is None:
            return
        self._events.close()
        self._server.config.timeout_graceful_shutdown = max(1, math.ceil(grace))
        self._server.leave()
        await self._serving
        self._serving = None


class _Protocol(H11Protocol):
    """uvicorn's, which also gives up callers whose request does not begin or whose headers never end."""

    _head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_head(HEAD_SECONDS)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait_for_head(HEAD_SECONDS + KEEP_ALIVE_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._head is not None:
            self._head.cancel()
        super().connection_lost(exc)

    def _wait_for_head(self, seconds: float) -> None:
        if self._head is not None:
            self._head.cancel()
        self._head = self.loop.call_later(seconds, self._no_head)

    def _no_head(self) -> None:
        answers = self.cycle is not None and not self.cycle.response_complete
        if not answers and not self.transport.is_closing():
            self.transport.close()


class _Server(uvicorn.Server):
    """uvicorn without signal handlers, with events for "it answers now" and "stop", and a slow tick."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()
        self._leaving = asyncio.Event()

    def leave(self) -> None:
        self.should_exit = True
        self._leaving.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self.ready.set()

    async def main_loop(self) -> None:
        """Refresh the date header once a second; uvicorn's own loop wakes ten times and leaves later."""
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_TICK_SECONDS):
                    await self._leaving.wait()


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
        raise _not_bound(host, port, error) from error
    return sock


def _not_bound(host: str, port: int, error: OSError) -> AppError:
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


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host
