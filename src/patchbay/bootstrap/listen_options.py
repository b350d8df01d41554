"""`ListenOptions`: where and how a workspace listens for HTTP, parsed from settings or arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from patchbay.domain.errors import ValidationFailed
from patchbay.domain.outgoing import is_loopback
from patchbay.server.proxies import NO_PROXIES, Network, TrustedProxies, parse_networks

if TYPE_CHECKING:
    from patchbay.platform.settings import Service


@dataclass(frozen=True)
class ListenOptions:
    """Host, ports (0: any free port), TLS files, and trusted proxies.

    With a `webhook_port`, webhooks and the redirect address of sign-ins are served only there; invitations
    stay on the interface's port, which others reach at `interface_address`. `base_path` is the path prefix of
    the interface. The TLS key can be in the certificate's file. `proxies` are trusted to report the client's
    address.
    """

    host: str = "127.0.0.1"
    port: int = 8787
    webhook_port: int | None = None
    base_path: str = ""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    interface_address: str | None = None
    proxies: TrustedProxies = NO_PROXIES

    @property
    def open_to_others(self) -> bool:
        """Whether other computers can connect directly."""
        return not is_loopback(self.host)

    @property
    def secret_files(self) -> tuple[Path, ...]:
        """The file with the private key, and that of the certificate, which may contain one."""
        return tuple(file for file in (self.tls_cert, self.tls_key) if file is not None)

    @property
    def behind_proxy(self) -> bool:
        """Whether other computers can connect through a reverse proxy."""
        host = self.interface_host
        return bool(self.proxies.networks) or (host is not None and not is_loopback(host))

    @property
    def interface_host(self) -> str | None:
        """The host name in `interface_address`; None without one."""
        return urlsplit(self.interface_address or "").hostname


def listen_options_from(service: Service) -> ListenOptions:
    """Parse the settings. Raises `ValidationFailed` for invalid or contradictory values."""
    if service.tls_key and not service.tls_cert:
        raise _invalid_option("tlsKey", "The TLS key has no certificate.", "Also set the certificate.")
    if service.webhook_port and service.webhook_port == service.port:
        raise _invalid_option(
            "webhookPort",
            "The webhook port is the same as the port of the HTTP API.",
            "Choose another port for webhooks, or leave it out to use one port for both.",
        )
    return ListenOptions(
        service.host,
        service.port,
        service.webhook_port,
        _base_path(service.base_path),
        _file(service.tls_cert),
        _file(service.tls_key),
        _interface_address(service.interface_address),
        TrustedProxies(_networks(service.trusted_proxies), service.proxy_header),
    )


def _interface_address(text: str | None) -> str | None:
    if not text:
        return None
    parts = urlsplit(text.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise _invalid_option(
            "interfaceAddress",
            f"“{text}” isn't a valid address (URL) of the HTTP API.",
            "Use an address such as https://patchbay.example.org.",
        )
    return text.strip().rstrip("/")


def _networks(texts: Sequence[str]) -> tuple[Network, ...]:
    networks: list[Network] = []
    for text in texts:
        try:
            networks += parse_networks([text])
        except ValueError:
            raise _invalid_option(
                "trustedProxies",
                f"“{text}” isn't an IP address or network.",
                "Use an address such as 127.0.0.1 or 10.0.0.0/8. Host names aren't supported.",
            ) from None
    return tuple(networks)


def _base_path(text: str) -> str:
    path = text.strip().strip("/")
    if path and not re.fullmatch(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*", path):
        raise _invalid_option(
            "basePath",
            f"“{text}” isn't a valid base path.",
            "Use letters, digits, “-”, and “_” between slashes, such as /api.",
        )
    return f"/{path}" if path else ""


def _file(path: str | None) -> Path | None:
    return Path(path).expanduser() if path else None


def _invalid_option(field: str, happened: str, todo: str) -> ValidationFailed:
    return ValidationFailed({field: [happened]}, happened=happened, todo=todo)
