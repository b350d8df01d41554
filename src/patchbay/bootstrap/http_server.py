"""Sockets that listen before the HTTP server behind them exists.

FastAPI, uvicorn, and our routes take a third of the time and 20 MB of the memory of a start, and most windows
are never called over HTTP. A window imports them when the first connection arrives.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from patchbay import __version__
from patchbay.server.listening_socket import bind, url_host
from patchbay.server.proxies import NO_PROXIES

if TYPE_CHECKING:
    import socket
    import ssl

    from fastapi import FastAPI

    from patchbay.bootstrap.listen_options import ListenOptions
    from patchbay.domain.ports import ApiKeys, WebhookIntake
    from patchbay.server.connection_limits import ConnectionLimits
    from patchbay.server.listener import HttpListener
    from patchbay.server.middleware import PublicHosts
    from patchbay.server.routes.monitoring import StorageCheck
    from patchbay.service.local_backend import LocalBackend

log = logging.getLogger("bootstrap")

RETRY_SECONDS = 1.0
"""The pause after a failed start."""


class Served(Enum):
    """What a listener serves."""

    INTERFACE = auto()
    PUBLIC = auto()
    """Webhooks, the redirect address of sign-ins, and the self-test, on a port of their own."""
    PLAIN_INTERFACE = auto()
    """The interface without TLS, for programs of this user."""


@dataclass(frozen=True)
class ServedParts:
    """What the applications call."""

    backend: LocalBackend
    webhooks: WebhookIntake
    keys: ApiKeys
    public_hosts: PublicHosts
    check_storage: StorageCheck


class HttpServerOnDemand:
    """Creates the applications at the first call, for all listeners of a workspace."""

    def __init__(
        self,
        options: ListenOptions,
        limits: ConnectionLimits,
        parts: ServedParts,
        tls: ssl.SSLContext | None,
    ) -> None:
        self._options, self._limits, self._parts, self._tls = options, limits, parts, tls
        self._creating: asyncio.Task[tuple[FastAPI, FastAPI]] | None = None

    def has_tls(self, served: Served) -> bool:
        """Whether its connections use TLS."""
        return self._tls is not None and served is not Served.PLAIN_INTERFACE

    async def listener(self, served: Served, host: str, port: int) -> HttpListener:
        """Create a listener, which isn't started."""
        if self._creating is None:
            self._creating = asyncio.create_task(self._create(), name="create-http-applications")
        try:
            interface, public = await asyncio.shield(self._creating)
        except Exception:
            self._creating = None  # the next connection tries again
            raise
        from patchbay.server.listener import HttpListener  # loaded with the applications

        is_plain = served is Served.PLAIN_INTERFACE
        return HttpListener(
            public if served is Served.PUBLIC else interface,
            host,
            port,
            public_hosts=self._parts.public_hosts,
            tls=self._tls if self.has_tls(served) else None,
            limits=self._limits,
            proxies=NO_PROXIES if is_plain else self._options.proxies,
        )

    async def _create(self) -> tuple[FastAPI, FastAPI]:
        """The interface, and the public part; they are the same without a port for webhooks."""
        for module in ("app", "listener", "metrics"):  # in a thread, so that running flows don't wait
            await asyncio.to_thread(importlib.import_module, f"patchbay.server.{module}")
        from patchbay.server.app import create_app, create_public_app
        from patchbay.server.metrics import Metrics

        backend, webhooks = self._parts.backend, self._parts.webhooks
        is_shared = self._options.webhook_port is None
        metrics = Metrics(__version__)
        interface = create_app(
            backend,
            webhooks if is_shared else None,
            self._parts.keys,
            version=__version__,
            base_path=self._options.base_path,
            callbacks=backend if is_shared else None,
            accept_invitations=backend,
            self_test=backend if is_shared else None,
            metrics=metrics,
            interface_address=self._options.interface_address,
            max_concurrent_webhooks=self._limits.max_webhooks,
            check_storage=self._parts.check_storage,
        )
        if is_shared:
            return interface, interface
        return interface, create_public_app(webhooks, backend, backend, metrics, self._limits.max_webhooks)


class ListenerOnDemand:
    """A listening socket, and the HTTP listener behind it once it is started.

    Raises an `AppError` if the port is in use.
    """

    def __init__(self, server: HttpServerOnDemand, served: Served, host: str, port: int) -> None:
        self._server, self._served, self._host = server, served, host
        self._sock = bind(host, port)
        self._sock.setblocking(False)
        self._port = self._sock.getsockname()[1]
        scheme = "https" if server.has_tls(served) else "http"
        self.address = f"{scheme}://{url_host(host)}:{self._port}"
        self._waiting: asyncio.Task[None] | None = None
        self._listener: HttpListener | None = None

    @property
    def is_started(self) -> bool:
        """Whether the HTTP server exists."""
        return self._listener is not None

    async def start(self, first: socket.socket | None = None) -> None:
        """Create the HTTP listener and start it; `first` is a connection that was already accepted."""
        listener = await self._server.listener(self._served, self._host, self._port)
        await listener.start(self._sock, first)
        self._listener = listener

    def start_at_first_connection(self) -> None:
        """Start the HTTP listener when the first client connects. Others wait in the backlog meanwhile."""
        self._waiting = asyncio.create_task(self._wait_for_connection(), name="wait-for-connection")

    async def stop(self, grace: float) -> None:
        """Stop listening; running requests have `grace` seconds to finish."""
        if self._waiting is not None:
            self._waiting.cancel()
            await asyncio.wait({self._waiting})
        if self._listener is not None:
            await self._listener.stop(grace=grace)
        self._sock.close()

    async def _wait_for_connection(self) -> None:
        while True:
            if await self._start_with_next():
                return
            await asyncio.sleep(RETRY_SECONDS)

    async def _start_with_next(self) -> bool:
        """Start with the next connection. False if that failed: its client was disconnected."""
        first: socket.socket | None = None
        with contextlib.suppress(OSError):  # the HTTP listener handles it when it accepts the next one
            first, _ = await asyncio.get_running_loop().sock_accept(self._sock)
        try:
            await self.start(first)
        except BaseException as error:
            if first is not None:
                first.close()
            if not isinstance(error, Exception):
                raise
            log.exception("the HTTP server couldn't start")
            return False
        return True
