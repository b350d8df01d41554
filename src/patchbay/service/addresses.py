"""The workspace, its addresses, the checks of a public address, and webhook addresses of flows."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from patchbay.domain.apps import AppInfo, TriggerKind, verifies_calls
from patchbay.domain.base import AppKey, FlowId, get_optional
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.flows import Flow, Step, StepType

if TYPE_CHECKING:
    from patchbay.integration.probe import ProbeResult

CALLBACK_PATH = "/oauth/callback"
DEMO_ADDRESS = "http://127.0.0.1:8787"
"""The usual address of a workspace here. Services get it from a demo that isn't listening: none calls it."""
MAX_ADDRESS_LENGTH = 255
_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")
_HOST = re.compile(r"[a-z0-9]([a-z0-9_.-]*[a-z0-9])?")
_PORTS = {"http": 80, "https": 443}
_TRUE_VALUES = (True, "true")


def no_address() -> str | None:
    """Return None: the address of a workspace that isn't listening."""
    return None


@dataclass
class Workspace:
    """A workspace and its addresses.

    `address` returns the base URL of its HTTP API, None while not listening.
    `webhooks` returns the base URL for webhooks and sign-in redirects, by default that of `address`.
    `public_address` is the base URL that others use instead, if one is set.
    """

    kind: Literal["demo", "local"]
    name: str
    address: Callable[[], str | None] = no_address
    notice: Callable[[], str | None] = no_address
    """Returns a notice about the address, for example that another port than usual is used."""
    webhooks: Callable[[], str | None] | None = None
    invitations: Callable[[], str | None] = no_address
    """Returns the base URL of the invitation page, if it differs from that of webhooks."""
    public_address: str | None = None
    activity: str = ""
    """What is still being done to complete the workspace."""
    tested_hosts: list[str] = field(default_factory=list)
    """Host names of public addresses that are being tested; requests to them are accepted meanwhile."""

    def external_address(self) -> str | None:
        """Return the base URL for webhooks and redirects as others see it; None while not listening."""
        own_address = self.address() if self.webhooks is None else self.webhooks()
        return None if own_address is None else (self.public_address or own_address).rstrip("/")

    def address_for_services(self) -> str | None:
        """Return the base URL that services get for webhooks and redirects; None if they can't call it."""
        return self.external_address() or (DEMO_ADDRESS if self.kind == "demo" else None)

    def invitation_address(self) -> str | None:
        """Return the base URL of invitation links: never an address that only serves webhooks."""
        return self.invitations() or self.external_address() or self.public_address

    def redirect_url(self) -> str | None:
        """Return the redirect URL for browser sign-ins; None while not listening, except in the demo."""
        external_address = self.address_for_services()
        if external_address is None:
            return None
        return (
            external_address.replace("://0.0.0.0:", "://127.0.0.1:").replace("://[::]:", "://[::1]:")
            + CALLBACK_PATH
        )


def checked_public_address(text: str | None) -> str | None:
    """Return a public address in normalised form; None for an empty one. Raises `ValidationFailed`."""
    text = (text or "").strip().rstrip("/")
    if not text:
        return None
    try:
        parts = urlsplit(text)
        port, host = parts.port, (parts.hostname or "").encode("idna").decode()
    except ValueError:  # a bad port, brackets that do not close, or a name no computer can have
        raise _invalid_address("This isn't a web address.") from None
    if parts.scheme not in _PORTS or not _is_host(host) or port == 0:
        raise _invalid_address("This isn't a web address.")
    if parts.username is not None or parts.password is not None:
        raise _invalid_address("The address can't contain a user name or password.")
    if parts.query or parts.fragment or "?" in text or "#" in text:
        raise _invalid_address("The address can't contain ? or #.")
    if (
        len(text) > MAX_ADDRESS_LENGTH
        or not _PATH.fullmatch(parts.path)
        or {".", ".."} & set(parts.path.split("/"))
    ):
        raise _invalid_address("The address is too long, or its path contains invalid characters.")
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
        {"publicAddress": [message]},
        happened=message,
        todo="Enter the base address that others use, such as https://flows.example.org.",
    )


def has_proof(found: ProbeResult, proofs: Collection[str]) -> bool:
    """Whether the response contains a proof that only this process can give."""
    data = _json(found.body).get("data")
    return found.status == 200 and isinstance(data, dict) and data.get("proof") in proofs


def describe_result(found: ProbeResult | AppError, url: str, listening_address: str = "") -> str:
    """Explain a response without the proof, and say what to do.

    `listening_address` is where the service listens.
    """
    if isinstance(found, AppError):
        return " ".join(filter(None, (found.happened, found.meaning, _port_hint(url, listening_address))))
    if found.location is not None and 300 <= found.status < 400:
        return (
            f"The request was redirected to {found.location}. "
            "Enter that address instead, or forward requests to this server."
        )
    if found.status in (502, 503, 504):
        return (
            f"A proxy responded, but can't reach the server behind it ({found.status}). "
            "Check where it forwards requests."
        )
    if {"errors", "meta"} <= _json(found.body).keys():
        return (
            f"Another Patchbay server responded ({found.status}). "
            "The address belongs to a different server, or a proxy changes the path of requests."
        )
    return f"Another program responded ({found.status}). Check the address and its path."


def _port_hint(url: str, listening_address: str) -> str:
    """Return a hint when the address has no port and this server doesn't listen on the default port."""
    parts, listening_port = urlsplit(url), urlsplit(listening_address).port
    if parts.port is not None or listening_port in (None, _PORTS.get(parts.scheme)):
        return ""
    return (
        f"The address uses port {_PORTS[parts.scheme]}, but this server listens on port {listening_port}. "
        f"Add :{listening_port}, or have a proxy or router forward requests."
    )


def _json(body: bytes) -> dict[str, object]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def with_addresses(flow: Flow, apps: Mapping[AppKey, AppInfo], base: str | None) -> Flow:
    """Return the flow with icon URLs and, if it starts by webhook, the URL of its webhook."""
    return flow.model_copy(update={"steps": steps_with_addresses(flow.id, flow.steps, apps, base)})


def steps_with_addresses(
    flow_id: FlowId, steps: Iterable[Step], apps: Mapping[AppKey, AppInfo], base: str | None
) -> tuple[Step, ...]:
    """Return these steps with icon and webhook addresses, as `with_addresses` does for flows."""
    found = []
    for step in steps:
        app = get_optional(apps, step.app_key)
        shown: dict[str, object] = {"icon_url": app.icon_url if app else None}
        trigger = app.trigger(step.key) if app and starts_by_webhook(step, app) else None
        if app and trigger:
            shown["webhook_signed"] = verifies_calls(apps, app, trigger, connected=step.expects_connection)
            if base is not None:
                shown["webhook_url"] = f"{base.rstrip('/')}{webhook_path(flow_id, step)}"
        found.append(without_addresses(step).model_copy(update=shown))
    return tuple(found)


def without_addresses(step: Step) -> Step:
    """Return the step as versions store it: addresses can change while a version exists."""
    return step.model_copy(update={"webhook_url": None, "webhook_signed": None, "icon_url": None})


def starts_by_webhook(step: Step, app: AppInfo | None) -> bool:
    """Whether the step is a webhook trigger."""
    trigger = app.trigger(step.key) if app and step.type is StepType.TRIGGER else None
    return trigger is not None and trigger.kind is TriggerKind.WEBHOOK


def webhook_path(flow_id: FlowId, step: Step) -> str:
    """Return the path of a flow's webhook; `/sync` waits for the response of the flow."""
    synchronous = step.parameters.get("workSynchronously") in _TRUE_VALUES
    return f"/webhooks/flows/{flow_id}" + ("/sync" if synchronous else "")
