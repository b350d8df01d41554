"""Webhook requests, signed as each service signs them with what it got when the webhook was registered."""

import hmac
import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.support.catalogue.service import Sent
from tests.support.dry_runs.services import ServiceOfApp

from patchbay.domain.base import FlowId
from patchbay.domain.ports import WebhookRequest

_FORMS = ("twilio", "mailchimp")
"""Apps whose services send forms."""


class Registration:
    """What an app sent to its service to register the webhook of a flow, and the response.

    `now` is the time of the delivery.
    """

    def __init__(self, service: ServiceOfApp, flow_id: FlowId, now: int) -> None:
        documents = service.simulated.documents
        found: list[tuple[Sent, Any]] = [one for one in documents if flow_id in one[0].content.decode()]
        assert found, f"{service.key} registered no webhook"
        sent, self.response = found[-1]
        self.body, self.service, self.now, self._flow_id = sent.body, service, now, flow_id

    @property
    def address(self) -> str:
        """The address that the service calls."""
        return next(text for text in _texts(self.body) if self._flow_id in text and "://" in text)


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [value] if isinstance(value, str) else []


def _digest(key: str, content: bytes, algorithm: str = "sha256") -> bytes:
    return hmac.new(key.encode(), content, algorithm).digest()


def _ghost(at: Registration, content: bytes) -> dict[str, str]:
    moment = "1770796800000"
    signature = _digest(at.body["webhooks"][0]["secret"], content + moment.encode()).hex()
    return {"x-ghost-signature": f"sha256={signature}, t={moment}"}


def _mailchimp(at: Registration, content: bytes) -> dict[str, str]:
    seconds = str(at.now // 1000)
    signature = _digest(at.response["signing_secret"], f"{seconds}.".encode() + content).hex()
    return {"x-mailchimp-signature": f"t={seconds},v1={signature}"}


def _twilio(at: Registration, content: bytes) -> dict[str, str]:
    fields = "".join(name + value for name, value in sorted(parse_qsl(content.decode())))
    signature = _digest(at.service.data["authToken"], (at.address + fields).encode(), "sha1")
    return {"x-twilio-signature": b64encode(signature).decode()}


_SIGNATURES: dict[str, Callable[[Registration, bytes], dict[str, str]]] = {
    "clickup": lambda at, content: {"x-signature": _digest(at.response["webhook"]["secret"], content).hex()},
    "ghost": _ghost,
    "gitlab": lambda at, content: {"x-gitlab-token": at.body["token"]},
    "mailchimp": _mailchimp,
    "twilio": _twilio,
}


def delivery(service: ServiceOfApp, flow_id: FlowId, body: Any, now: int) -> WebhookRequest:
    """The request by which a service reports an event to a flow."""
    content = (urlencode(body) if service.key in _FORMS else json.dumps(body)).encode()
    if service.key == "webhook":
        return WebhookRequest(method="POST", headers={}, query={}, body=body, raw_body=content)
    at = Registration(service, flow_id, now)
    sign = _SIGNATURES.get(service.key)
    return WebhookRequest(
        method="POST",
        headers=sign(at, content) if sign else {},
        query=dict(parse_qsl(urlsplit(at.address).query)),
        body=body,
        raw_body=content,
    )
