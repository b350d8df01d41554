"""Where a workspace is to answer HTTP."""

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
    """Host and ports (0 takes any free one), and how the connection is encrypted.

    With a `webhook_port`, webhooks and the redirect address are answered there and nowhere else; invitations
    stay with the interface, which others reach at `interface_address`. `base_path` goes before the addresses
    of the interface. The key may be in the file of the certificate. `proxies` are believed on who calls.
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
        """Whether other computers can reach it directly."""
        return not is_loopback(self.host)

    @property
    def behind_proxy(self) -> bool:
        """Whether other computers can reach it through a reverse proxy."""
        host = self.interface_host
        return bool(self.proxies.networks) or (host is not None and not is_loopback(host))

    @property
    def interface_host(self) -> str | None:
        """The host name in `interface_address`."""
        return urlsplit(self.interface_address or "").hostname


def listen_options_from(service: Service) -> ListenOptions:
    """Raises `ValidationFailed` for what cannot be listened with."""
    if service.tls_key and not service.tls_cert:
        raise _invalid_option(
            "tlsKey", "A key was given without its certificate.", "Also give the certificate."
        )
    if service.webhook_port and service.webhook_port == service.port:
        raise _invalid_option(
            "webhookPort", "Webhooks and the interface cannot have the same port each for itself.",
            "Give webhooks another port, or leave it out: then both are on one.",
        )  # fmt: skip
    return ListenOptions(
        service.host, service.port, service.webhook_port, _base_path(service.base_path),
        _file(service.tls_cert), _file(service.tls_key), _interface_address(service.interface_address),
        TrustedProxies(_networks(service.trusted_proxies), service.proxy_header),
    )  # fmt: skip


def _interface_address(text: str | None) -> str | None:
    if not text:
        return None
    parts = urlsplit(text.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise _invalid_option(
            "interfaceAddress", f"“{text}” is not an address of the interface.",
            "Use an address such as https://patchbay.example.org.",
        )  # fmt: skip
    return text.strip().rstrip("/")


def _networks(texts: Sequence[str]) -> tuple[Network, ...]:
    networks: list[Network] = []
    for text in texts:
        try:
            networks += parse_networks([text])
        except ValueError:
            raise _invalid_option(
                "trustedProxies", f"“{text}” is not an IP address or network.",
                "Name trusted proxies like 127.0.0.1 or 10.0.0.0/8. Host names are not looked up.",
            ) from None  # fmt: skip
    return tuple(networks)


def _base_path(text: str) -> str:
    path = text.strip().strip("/")
    if path and not re.fullmatch(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*", path):
        raise _invalid_option(
            "basePath", f"“{text}” is no base path.", "Use letters, digits, - and _ between slashes: /api."
        )
    return f"/{path}" if path else ""


def _file(path: str | None) -> Path | None:
    return Path(path).expanduser() if path else None


def _invalid_option(field: str, happened: str, todo: str) -> ValidationFailed:
    return ValidationFailed({field: [happened]}, happened=happened, todo=todo)
