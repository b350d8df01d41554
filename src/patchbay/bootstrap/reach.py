"""Where a workspace is to answer HTTP."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from patchbay.domain.errors import ValidationFailed

if TYPE_CHECKING:
    from patchbay.platform.settings import Service


@dataclass(frozen=True)
class Reach:
    """Host and ports (0 takes any free one), and how the connection is encrypted.

    With a `webhook_port`, webhooks, the redirect address and invitations are answered there and nowhere else.
    `base_path` goes before the addresses of the interface. The key may be in the file of the certificate.
    """

    host: str = "127.0.0.1"
    port: int = 8787
    webhook_port: int | None = None
    base_path: str = ""
    tls_cert: Path | None = None
    tls_key: Path | None = None

    @property
    def open_to_others(self) -> bool:
        """Whether other computers can reach it."""
        try:
            return not ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host != "localhost"


def reach_of(service: Service) -> Reach:
    """Raises `ValidationFailed` for what cannot be listened with."""
    if service.tls_key and not service.tls_cert:
        raise _refused("tlsKey", "A key was given without its certificate.", "Also give the certificate.")
    if service.webhook_port and service.webhook_port == service.port:
        raise _refused(
            "webhookPort", "Webhooks and the interface cannot have the same port each for itself.",
            "Give webhooks another port, or leave it out: then both are on one.",
        )  # fmt: skip
    return Reach(
        service.host, service.port, service.webhook_port, _base_path(service.base_path),
        _file(service.tls_cert), _file(service.tls_key),
    )  # fmt: skip


def _base_path(text: str) -> str:
    path = text.strip().strip("/")
    if path and not re.fullmatch(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*", path):
        raise _refused(
            "basePath", f"“{text}” is no base path.", "Use letters, digits, - and _ between slashes: /api."
        )
    return f"/{path}" if path else ""


def _file(path: str | None) -> Path | None:
    return Path(path).expanduser() if path else None


def _refused(field: str, happened: str, todo: str) -> ValidationFailed:
    return ValidationFailed({field: [happened]}, happened=happened, todo=todo)
