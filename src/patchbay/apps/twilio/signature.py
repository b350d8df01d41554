"""Twilio's signature of a webhook request: the address and the sorted fields of the form (HMAC-SHA1)."""

import hashlib
import hmac
from base64 import b64encode
from urllib.parse import parse_qsl

from patchbay.domain.base import Json
from patchbay.integration import Context, named_delivery, signed_content

HEADER = "x-twilio-signature"
_ADDRESSES = "patchbay.twilioAddresses"
_MAX_ADDRESSES = 3
_MAX_BYTES = 128 * 1024
"""Of a body. Twilio's have a few kilobytes; the fields of a larger one would take too long to read."""


async def store_address(ctx: Context) -> None:
    """Store the address that was entered at Twilio, which its signatures cover. Earlier ones stay valid."""
    earlier = [address for address in await _addresses(ctx) if address != ctx.webhook_url]
    newest: list[Json] = [ctx.webhook_url, *earlier]
    await ctx.datastore.set(_ADDRESSES, newest[:_MAX_ADDRESSES])


async def _addresses(ctx: Context) -> list[str]:
    stored = await ctx.datastore.get(_ADDRESSES)
    return [str(address) for address in stored] if isinstance(stored, list) else []


async def verify_signature(ctx: Context) -> bool:
    """Whether the request was signed with the account's auth token, for the address of this flow."""
    assert ctx.request is not None
    token = str(ctx.auth.data.get("authToken") or "").strip()
    sent = next((value for name, value in ctx.request.headers.items() if name.lower() == HEADER), "")
    if not sent or len(ctx.request.raw_body) > _MAX_BYTES:
        return False
    fields = parse_qsl(ctx.request.raw_body.decode("utf-8", "replace"), keep_blank_values=True)
    content = "".join(name + value for name, value in sorted(set(fields)))
    digests = [
        hmac.new(token.encode(), (address + content).encode(), hashlib.sha1).digest()
        for address in await _addresses(ctx)
    ]
    if not token or not any(hmac.compare_digest(b64encode(one), sent.encode()) for one in digests):
        return False
    message = dict(fields).get("MessageSid")
    ctx.signed_delivery = (
        named_delivery("twilio", message) if message else signed_content("twilio", ctx.request.raw_body)
    )
    return True
