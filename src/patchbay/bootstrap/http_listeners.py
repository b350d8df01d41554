"""Opens the HTTP ports of a workspace, for the interface and webhooks."""

from __future__ import annotations

import asyncio
import logging
import ssl
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from patchbay import __version__
from patchbay.domain.errors import Conflict
from patchbay.platform.process_limits import raise_open_files_limit
from patchbay.server.app import create_app, create_public_app
from patchbay.server.connection_limits import limits_for
from patchbay.server.listener import HttpListener, tls_context
from patchbay.server.metrics import Metrics

if TYPE_CHECKING:
    from fastapi import FastAPI

    from patchbay.bootstrap.listen_options import ListenOptions
    from patchbay.domain.ports import ApiKeys, WebhookIntake
    from patchbay.server.middleware import PublicHosts
    from patchbay.server.routes.monitoring import StorageCheck
    from patchbay.service.local_backend import LocalBackend

log = logging.getLogger("bootstrap")

_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # nosec  # B104: compared with, not bound to


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
    listeners: list[HttpListener] = field(default_factory=list)

    async def stop(self, grace: float) -> None:
        """Stop listening; running requests have `grace` seconds to finish."""
        await asyncio.gather(*(listener.stop(grace=grace) for listener in self.listeners))


class HttpListenerStarter:
    """Opens the listeners of a workspace.

    If a port is in use, opening fails with `require_port`, or else uses a free port.
    """

    def __init__(
        self,
        listen_options: ListenOptions,
        public_hosts: PublicHosts,
        *,
        require_port: bool,
        check_storage: StorageCheck,
    ) -> None:
        self._check_storage = check_storage
        self._options = listen_options
        self._require_port = require_port
        self._public_hosts = public_hosts
        self._tls: ssl.SSLContext | None = None
        self._listeners = HttpListeners()
        listeners = 1 + (listen_options.webhook_port is not None) + (listen_options.tls_cert is not None)
        self._limits = limits_for(raise_open_files_limit(), listeners)

    async def open(self, backend: LocalBackend, webhooks: WebhookIntake, keys: ApiKeys) -> HttpListeners:
        """Open all listeners, or none. Raises `AppError` for a port in use or an invalid certificate."""
        if self._options.tls_cert is not None:
            self._tls = await asyncio.to_thread(tls_context, self._options.tls_cert, self._options.tls_key)
        try:
            await self._open(backend, webhooks, keys)
        except BaseException:
            await self._listeners.stop(grace=0)
            raise
        return self._listeners

    async def _open(self, backend: LocalBackend, webhooks: WebhookIntake, keys: ApiKeys) -> None:
        listen_options, http_listeners = self._options, self._listeners
        has_webhook_port = listen_options.webhook_port is not None
        metrics = Metrics(__version__)
        interface = create_app(
            backend,
            None if has_webhook_port else webhooks,
            keys,
            version=__version__,
            base_path=listen_options.base_path,
            callbacks=None if has_webhook_port else backend,
            accept_invitations=backend,
            self_test=None if has_webhook_port else backend,
            metrics=metrics,
            interface_address=listen_options.interface_address,
            max_concurrent_webhooks=self._limits.webhooks,
            check_storage=self._check_storage,
        )
        base = await self._listen(interface, listen_options.port)
        http_listeners.webhooks = base
        http_listeners.taken_port = _taken_port(base, listen_options.port)
        if listen_options.webhook_port is not None:
            webhook_app = create_public_app(webhooks, backend, backend, metrics, self._limits.webhooks)
            http_listeners.invitations = listen_options.interface_address or base
            http_listeners.webhooks = await self._listen(webhook_app, listen_options.webhook_port)
            http_listeners.taken_port = _taken_port(http_listeners.webhooks, listen_options.webhook_port)
        http_listeners.address = base + listen_options.base_path
        if self._tls is None:
            local = _EVERY_ADDRESS.get(listen_options.host, listen_options.host)
            http_listeners.local = f"{_with_host(base, local)}{listen_options.base_path}"
        else:
            # Programs of this user don't need TLS to trust each other: they share a token in a private file.
            plain = HttpListener(
                interface, "127.0.0.1", 0, public_hosts=self._public_hosts, limits=self._limits
            )
            http_listeners.local = await plain.start() + listen_options.base_path
            http_listeners.listeners.append(plain)

    async def _listen(self, app: FastAPI, port: int) -> str:
        try:
            return await self._listen_at(app, port)
        except Conflict as taken:
            if self._require_port:
                raise
            log.warning("%s Using another port until the next start.", taken.happened)
            address = await self._listen_at(app, 0)
            self._listeners.notice = (
                f"Port {port} is used by another program, so this address is different until the next start. "
                "Third parties that expect the usual address will reject it."
            )
            return address

    async def _listen_at(self, app: FastAPI, port: int) -> str:
        host = self._options.host
        listener = HttpListener(
            app,
            host,
            port,
            public_hosts=self._public_hosts,
            tls=self._tls,
            limits=self._limits,
            proxies=self._options.proxies,
        )
        address = await listener.start()
        self._listeners.listeners.append(listener)
        return address


def _taken_port(address: str, wanted: int) -> int | None:
    """The wanted port, if the address has another one; None for any free port (0)."""
    return wanted if wanted and urlsplit(address).port != wanted else None


def _with_host(address: str, host: str) -> str:
    scheme, _, rest = address.partition("://")
    port = rest.rpartition(":")[2]
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
