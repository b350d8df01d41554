"""Twilio's signature of a webhook request: the address and the sorted fields of the form (HMAC-SHA1)."""

import hashlib
import hmac
from base64 import b64encode
from urllib.parse import parse_qsl

from patchbay.integration import Context, named_delivery, signed_content

HEADER = "x-twilio-signature"


async def verify_signature(ctx: Context) -> bool:
    """Whether the request was signed with the account's auth token, for the address of this flow."""
    assert ctx.request is not None
    token = str(ctx.auth.data.get("authToken") or "").strip()
    sent = next((value for name, value in ctx.request.headers.items() if name.lower() == HEADER), "")
    fields = parse_qsl(ctx.request.raw_body.decode("utf-8", "replace"), keep_blank_values=True)
    signed = (ctx.webhook_url or "") + "".join(name + value for name, value in sorted(set(fields)))
    digest = hmac.new(token.encode(), signed.encode(), hashlib.sha1).digest()
    if not token or not hmac.compare_digest(b64encode(digest), sent.encode()):
        return False
    message = dict(fields).get("MessageSid")
    ctx.signed_delivery = (
        named_delivery("twilio", message) if message else signed_content("twilio", ctx.request.raw_body)
    )
    return True
