"""The rules for a public address, and what its test found, in words."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Collection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from patchbay.domain.errors import AppError, ValidationFailed

if TYPE_CHECKING:  # it brings the HTTP client with it, which a window that just opens does not need
    from patchbay.integration.probe import Probed

MAX_ADDRESS_LENGTH = 255
_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")
_HOST = re.compile(r"[a-z0-9]([a-z0-9_.-]*[a-z0-9])?")
_PORTS = {"http": 80, "https": 443}


def checked_public_address(text: str | None) -> str | None:
    """The base address in one spelling; None when nothing is entered. Raises `ValidationFailed`."""
    text = (text or "").strip().rstrip("/")
    if not text:
        return None
    try:
        parts = urlsplit(text)
        port, host = parts.port, (parts.hostname or "").encode("idna").decode()
    except ValueError:  # a bad port, brackets that do not close, or a name no computer can have
        raise _invalid_address("This is no web address.") from None
    if parts.scheme not in _PORTS or not _is_host(host) or port == 0:
        raise _invalid_address("This is no web address.")
    if parts.username is not None or parts.password is not None:
        raise _invalid_address("An address must hold no user name and no password.")
    if parts.query or parts.fragment or "?" in text or "#" in text:
        raise _invalid_address("An address must end before any ? or #.")
    if (
        len(text) > MAX_ADDRESS_LENGTH
        or not _PATH.fullmatch(parts.path)
        or {".", ".."} & set(parts.path.split("/"))
    ):
        raise _invalid_address("The path of the address holds what it must not.")
    shown = f"[{host}]" if ":" in host else host
    port_suffix = f":{port}" if port is not None and port != _PORTS[parts.scheme] else ""
    return f"{parts.scheme}://{shown}{port_suffix}{parts.path}"


def _is_host(host: str) -> bool:
    try:
        return not ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return _HOST.fullmatch(host) is not None and ".." not in host


def _invalid_address(message: str) -> ValidationFailed:
    return ValidationFailed(
        {"publicAddress": [message]}, happened=message,
        todo="Enter how others begin the address of this service: https://flows.example.org, say.",
    )  # fmt: skip


def has_proof(found: Probed, proofs: Collection[str]) -> bool:
    """Whether the answer is one that only this process can give now."""
    data = _json(found.body).get("data")
    return found.status == 200 and isinstance(data, dict) and data.get("proof") in proofs


def describe_result(found: Probed | AppError, url: str, listening_address: str = "") -> str:
    """What came back in place of the proof, and what to do. `listening_address` is where the service listens."""
    if isinstance(found, AppError):
        return " ".join(filter(None, (found.happened, found.meaning, _port_hint(url, listening_address))))
    if found.location is not None and 300 <= found.status < 400:
        return f"The call was sent on to {found.location}. Enter that address instead, or pass calls on here."
    if found.status in (502, 503, 504):
        return f"A proxy answers there, but reaches no service ({found.status}). Look where it leads."
    if {"errors", "meta"} <= _json(found.body).keys():
        return (
            f"A service of this kind answers there ({found.status}), but not with the answer of this one. "
            "The address leads to another one, or a proxy does not pass the rest of the path on as it is."
        )
    return f"Another program answers there ({found.status}): the address or its path leads somewhere else."


def _port_hint(url: str, listening_address: str) -> str:
    """A hint when the address names no port and this service does not listen on the usual one."""
    parts, listening_port = urlsplit(url), urlsplit(listening_address).port
    if parts.port is not None or listening_port in (None, _PORTS.get(parts.scheme)):
        return ""
    return (
        f"The address means port {_PORTS[parts.scheme]}, and this service listens on port {listening_port}: "
        f"add :{listening_port}, or let a proxy or router pass calls on."
    )


def _json(body: bytes) -> dict[str, object]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
