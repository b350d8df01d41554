"""Opens the HTTP ports of a workspace, for the interface and webhooks."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from patchbay.bootstrap.http_server import HttpServerOnDemand, ListenerOnDemand, Served, ServedParts
from patchbay.domain.errors import Conflict
from patchbay.platform.process_limits import raise_open_files_limit
from patchbay.server.connection_limits import limits_for

if TYPE_CHECKING:
    import ssl

    from patchbay.bootstrap.listen_options import ListenOptions
    from patchbay.domain.ports import ApiKeys, WebhookIntake
    from patchbay.server.middleware import PublicHosts
    from patchbay.server.routes.monitoring import StorageCheck
    from patchbay.service.local_backend import LocalBackend

log = logging.getLogger("bootstrap")

_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # compared with, not bound to


@dataclass
class HttpListeners:
    """The open listeners. `address` is the base address of the interface, `webhooks` that of webhooks.

    `invitations` is the base address of invitation links, if it differs from that of webhooks. `local` is the
    address of the interface for programs on this computer.
    """

    address: str = ""
    invitations: str | None = None
    webhooks: str = ""
    local: str = ""
    notice: str | None = None
    taken_port: int | None = None
    """The usual port of webhooks, if another program uses it."""
    listeners: list[ListenerOnDemand] = field(default_factory=list)

    async def stop(self, grace: float) -> None:
        """Stop listening; running requests have `grace` seconds to finish."""
        await asyncio.gather(*(listener.stop(grace=grace) for listener in self.listeners))


class HttpListenerStarter:
    """Opens the listeners of a workspace.

    If a port is in use, opening fails with `require_port`, or else uses a free port. `on_demand`: create the
    HTTP server at the first connection, which waits for it.
    """

    def __init__(
        self,
        listen_options: ListenOptions,
        public_hosts: PublicHosts,
        *,
        require_port: bool,
        check_storage: StorageCheck,
        on_demand: bool = False,
    ) -> None:
        self._check_storage = check_storage
        self._options = listen_options
        self._require_port, self._on_demand = require_port, on_demand
        self._public_hosts = public_hosts
        self._listeners = HttpListeners()
        listeners = 1 + (listen_options.webhook_port is not None) + (listen_options.tls_cert is not None)
        self._limits = limits_for(raise_open_files_limit(), listeners)

    async def open(self, backend: LocalBackend, webhooks: WebhookIntake, keys: ApiKeys) -> HttpListeners:
        """Open all listeners, or none. Raises `AppError` for a port in use or an invalid certificate."""
        tls = await self._tls_context()
        parts = ServedParts(backend, webhooks, keys, self._public_hosts, self._check_storage)
        server = HttpServerOnDemand(self._options, self._limits, parts, tls)
        try:
            self._bind(server)
            for listener in self._listeners.listeners:
                if self._on_demand:
                    listener.start_at_first_connection()
                else:
                    await listener.start()
        except BaseException:
            await self._listeners.stop(grace=0)
            raise
        return self._listeners

    async def _tls_context(self) -> ssl.SSLContext | None:
        if self._options.tls_cert is None:
            return None
        from patchbay.server.listener import (
            tls_context,
        )  # imports the HTTP server, which may not be needed yet

        return await asyncio.to_thread(tls_context, self._options.tls_cert, self._options.tls_key)

    def _bind(self, server: HttpServerOnDemand) -> None:
        listen_options, http_listeners = self._options, self._listeners
        base = self._listen(server, Served.INTERFACE, listen_options.port)
        http_listeners.webhooks = base
        http_listeners.taken_port = _taken_port(base, listen_options.port)
        if listen_options.webhook_port is not None:
            http_listeners.invitations = listen_options.interface_address or base
            http_listeners.webhooks = self._listen(server, Served.PUBLIC, listen_options.webhook_port)
            http_listeners.taken_port = _taken_port(http_listeners.webhooks, listen_options.webhook_port)
        http_listeners.address = base + listen_options.base_path
        if listen_options.tls_cert is None:
            local = _EVERY_ADDRESS.get(listen_options.host, listen_options.host)
            http_listeners.local = f"{_with_host(base, local)}{listen_options.base_path}"
        else:
            # Programs of this user don't need TLS to trust each other: they share a token in a private file.
            plain = ListenerOnDemand(server, Served.PLAIN_INTERFACE, "127.0.0.1", 0)
            http_listeners.local = plain.address + listen_options.base_path
            http_listeners.listeners.append(plain)

    def _listen(self, server: HttpServerOnDemand, served: Served, port: int) -> str:
        host = self._options.host
        try:
            listener = ListenerOnDemand(server, served, host, port)
        except Conflict as taken:
            if self._require_port:
                raise
            log.warning("%s Using another port until the next start.", taken.happened)
            listener = ListenerOnDemand(server, served, host, 0)
            self._listeners.notice = (
                f"Port {port} is used by another program, so this address is different until the next start. "
                "Third parties that expect the usual address will reject it."
            )
        self._listeners.listeners.append(listener)
        return listener.address


def _taken_port(address: str, wanted: int) -> int | None:
    """The wanted port, if the address has another one; None for any free port (0)."""
    return wanted if wanted and urlsplit(address).port != wanted else None


def _with_host(address: str, host: str) -> str:
    scheme, _, rest = address.partition("://")
    port = rest.rpartition(":")[2]
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
