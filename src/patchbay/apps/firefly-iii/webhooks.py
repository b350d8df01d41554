"""Registers webhooks in Firefly III, and checks the signatures of their deliveries."""

import hmac
from secrets import token_hex

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import ThirdPartyError
from patchbay.integration import Context, signed_content
from patchbay.integration.app_definition import ContextFunction
from patchbay.integration.templates import find_value
from patchbay.integration.third_party_errors import UnexpectedResponse, describe_shape

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
        created = response.json()["data"]
        await ctx.flow.set_remote_webhook_id(str(created["id"]))
        secret = find_value(created, "attributes.secret")
        if not isinstance(secret, str) or not secret:
            raise UnexpectedResponse(response, "the webhook's secret", describe_shape(created))
        ctx.flow.add_webhook_secret(secret)

    return register_hook


async def verify_webhook(ctx: Context) -> bool:
    """Whether `Signature` has the HMAC of the time and the body, with a secret that Firefly III generated."""
    assert ctx.request is not None
    headers = {name.lower(): value for name, value in ctx.request.headers.items()}
    parts = dict(part.strip().partition("=")[::2] for part in headers.get("signature", "").split(","))
    content = ctx.request.raw_body
    signed, sent = parts.get("t", "").encode() + b"." + content, parts.get("v1", "").encode()
    expected = [
        hmac.new(secret.encode(), signed, "sha3_256").hexdigest().encode()
        for secret in ctx.flow.webhook_secrets
    ]
    if not any([hmac.compare_digest(sent, one) for one in expected]):
        return False
    ctx.signed_delivery = signed_content("firefly-iii", content)
    return True
