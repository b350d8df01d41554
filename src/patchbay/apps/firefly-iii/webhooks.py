"""Registers webhooks in Firefly III, and checks the signatures of their deliveries."""

import hmac
from secrets import token_hex

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import ThirdPartyError
from patchbay.integration import Context, signed_content
from patchbay.integration.app_definition import ContextFunction
from patchbay.integration.request import segment

_UNPROCESSABLE = 422


def registration(trigger: str) -> ContextFunction:
    """A `register_hook` for one of Firefly III's triggers, such as `STORE_TRANSACTION`."""

    async def register_hook(ctx: Context) -> None:
        webhook: JsonObject = {
            "active": True,
            # Titles are unique, also among deleted webhooks.
            "title": f"Patchbay {ctx.flow.id} {token_hex(3)}",
            "url": ctx.webhook_url,
        }
        lists: JsonObject = {"triggers": [trigger], "responses": ["TRANSACTIONS"], "deliveries": ["JSON"]}
        try:
            response = await ctx.http.post("/api/v1/webhooks", json={**webhook, **lists})
        except ThirdPartyError as error:
            if error.status != _UNPROCESSABLE:
                raise
            # Before version 6.4, a webhook has one trigger, not a list.
            single = {"trigger": trigger, "response": "TRANSACTIONS", "delivery": "JSON"}
            response = await ctx.http.post("/api/v1/webhooks", json={**webhook, **single})
        await ctx.flow.set_remote_webhook_id(str(response.json()["data"]["id"]))

    return register_hook


async def verify_webhook(ctx: Context) -> bool:
    """Whether `Signature` has the HMAC of the time and the body, with the secret that Firefly III made.

    The secret isn't stored: it's requested, because only Firefly III decides it, and can renew it.
    """
    assert ctx.request is not None
    headers = {name.lower(): value for name, value in ctx.request.headers.items()}
    parts = dict(part.strip().partition("=")[::2] for part in headers.get("signature", "").split(","))
    moment, signature = parts.get("t", ""), parts.get("v1", "")
    if not moment or not signature or not ctx.flow.remote_webhook_id:
        return False
    response = await ctx.http.get(f"/api/v1/webhooks/{segment(ctx.flow.remote_webhook_id)}")
    secret = str(response.json()["data"]["attributes"]["secret"])
    content = ctx.request.raw_body
    expected = hmac.new(secret.encode(), moment.encode() + b"." + content, "sha3_256").hexdigest()
    if not secret or not hmac.compare_digest(signature.encode(), expected.encode()):
        return False
    ctx.signed_delivery = signed_content("firefly-iii", content)
    return True
