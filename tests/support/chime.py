"""A third party that signs its deliveries with secrets of its webhooks, and the app that registers them."""

import hashlib
import hmac
from typing import Any

from tests.support.bell import BellService

from patchbay.domain.base import JsonObject
from patchbay.domain.ports import WebhookRequest
from patchbay.integration import (
    App,
    Auth,
    Context,
    api_key_fields,
    header_key,
    hmac_signature,
    text,
    webhook_trigger,
)

SIGNATURE = "X-Chime-Signature"


class ChimeService(BellService):
    """Generates a secret for each webhook, unless one was sent."""

    def __init__(self) -> None:
        super().__init__()
        self.secrets: list[str] = []

    def _put(self, body: dict[str, Any]) -> tuple[int, Any]:
        status, hook = super()._put(body)
        if status != 201:
            return status, hook
        self.secrets.append(body.get("secret") or f"chime-secret-{len(self.secrets) + 1}-c0ffee5ec3e7")
        return status, hook | {"secret": self.secrets[-1]}


def delivery(secret: str, number: int = 1) -> WebhookRequest:
    """A delivery that Chime signs with this secret, and whose body has the secret as well."""
    body: JsonObject = {"number": number, "echo": secret}
    raw_body = repr(body).encode()
    headers = {SIGNATURE: hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()}
    return WebhookRequest(method="POST", headers=headers, query={}, body=body, raw_body=raw_body)


async def _verify(ctx: Context) -> None:
    await ctx.http.get("/me")


async def _still(ctx: Context) -> bool:
    await _verify(ctx)
    return True


def _trigger(key: str, *, sends_secret: bool) -> Any:
    return webhook_trigger(
        key=key,
        name="Chimed",
        arguments=(text("event", "Event", required=True),),
        register="POST /webhooks",
        body={"url": "{webhookUrl}", "event": "{event}"}
        | ({"secret": "{webhookSecret}"} if sends_secret else {}),
        unregister="POST /webhooks/{remoteWebhookId}/remove",
        service_secret="" if sends_secret else "secret",
        verify=hmac_signature(SIGNATURE),
    )


chime = App(
    name="Chime",
    key="chime",
    supports_connections=True,
    base_url="https://chime.example",
    api_base_url="https://api.chime.example",
    auth=Auth(fields=api_key_fields(), verify_credentials=_verify, is_still_verified=_still),
    before_request=[header_key("X-Desk-Key")],
    triggers=[_trigger("chimed", sends_secret=False), _trigger("agreed", sends_secret=True)],
)
