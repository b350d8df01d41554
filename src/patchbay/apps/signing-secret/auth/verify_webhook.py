"""Verifies the signature of a webhook request."""

from patchbay.integration import Context

from ..schemes import SCHEMES, SignedCall


async def verify_webhook(ctx: Context) -> bool:
    """Whether the request was signed with this secret; with the delivery ID, if that is signed."""
    data, request = ctx.auth.data, ctx.request
    check = SCHEMES.get(str(data.get("scheme")))
    if request is None or check is None:
        return False
    headers = {name.lower(): value for name, value in request.headers.items()}
    verified = check(data, SignedCall(headers, request.raw_body, ctx.now))
    if verified is not None:
        ctx.signed_delivery = verified.delivery
    elif data.get("scheme") == "basic":
        ctx.respond(401, {"www-authenticate": 'Basic realm="Patchbay", charset="UTF-8"'}, None)
    return verified is not None
