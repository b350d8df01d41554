"""Registers webhooks of audiences in Mailchimp, and checks their deliveries."""

import hmac

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import Context, segment, signed_content
from patchbay.integration.app_definition import ContextFunction
from patchbay.integration.values import text_of
from patchbay.integration.webhook_signatures import new_webhook_secret, secret_in_query

_HEADER = "x-mailchimp-signature"
_SIGNING = "signing:"
"""Marks the secret with which Mailchimp signs, among those of a flow."""
_OLDEST_SECONDS = 300
_SOURCES: Json = {"user": True, "admin": True, "api": True}
_has_token = secret_in_query("token")


def registration(event: str) -> ContextFunction:
    """A `register_hook` for one of Mailchimp's events, such as `subscribe`."""

    async def register_hook(ctx: Context) -> None:
        token = new_webhook_secret()
        ctx.flow.add_webhook_secret(token)
        webhook: JsonObject = {
            "url": f"{ctx.webhook_url}?token={token}",
            "events": {event: True},
            "sources": _SOURCES,
        }
        audience = segment(text_of(ctx.parameters, "audienceId"))
        created = (await ctx.http.post(f"/3.0/lists/{audience}/webhooks", json=webhook)).json()
        await ctx.flow.set_remote_webhook_id(str(created["id"]))
        if secret := created.get("signing_secret"):
            ctx.flow.add_webhook_secret(f"{_SIGNING}{secret}")

    return register_hook


async def verify_webhook(ctx: Context) -> bool:
    """Whether the address has its token, and the signature is valid if Mailchimp signs this webhook.

    Before it creates a webhook, Mailchimp requests the address. That has no content, so it starts nothing.
    """
    assert ctx.request is not None
    if ctx.request.method == "GET" and not ctx.request.raw_body and set(ctx.request.query) <= {"token"}:
        return True
    keys = [one.removeprefix(_SIGNING) for one in ctx.flow.webhook_secrets if one.startswith(_SIGNING)]
    return await _has_token(ctx) and (not keys or _is_signed(ctx, keys))


def _is_signed(ctx: Context, keys: list[str]) -> bool:
    """Whether the header has the HMAC of the time and the body: `t=…,v1=…`, several `v1` for new keys."""
    assert ctx.request is not None
    headers = {name.lower(): value for name, value in ctx.request.headers.items()}
    parts = [part.strip().partition("=")[::2] for part in headers.get(_HEADER, "").split(",")]
    seconds = dict(parts).get("t", "")
    if not seconds.isdecimal() or abs(ctx.now // 1000 - int(seconds)) > _OLDEST_SECONDS:
        return False
    content = ctx.request.raw_body
    sent = [value.encode() for name, value in parts if name == "v1"]
    signed = seconds.encode() + b"." + content
    expected = [hmac.new(key.encode(), signed, "sha256").hexdigest().encode() for key in keys]
    if not any([hmac.compare_digest(one, other) for one in sent for other in expected]):
        return False
    ctx.signed_delivery = signed_content(_HEADER, content)
    return True
