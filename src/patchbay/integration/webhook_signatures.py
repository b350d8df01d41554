"""Checks that a webhook request comes from the service: HMAC signatures and shared tokens."""

import hmac
from base64 import b64encode
from secrets import token_hex

from patchbay.integration.app_definition import VerifyFunction
from patchbay.integration.context import Context
from patchbay.integration.webhook_deliveries import signed_content


def new_webhook_secret() -> str:
    """A random secret for a webhook, of characters that every service accepts."""
    return token_hex(32)


def hmac_signature(
    header: str,
    *,
    prefix: str = "",
    algorithm: str = "sha256",
    base64: bool = False,
    secret: str = "",
) -> VerifyFunction:
    """Verifies that `header` has the HMAC of the request's body.

    The key is in the auth field `secret`. Without that, it is `{webhookSecret}`, or the secret that the
    service generated (`webhook_trigger(service_secret=…)`). The delivery ID is derived from the content.
    """

    async def verify_webhook(ctx: Context) -> bool:
        assert ctx.request is not None
        content, sent = ctx.request.raw_body, _header(ctx, header)
        if secret:
            keys: tuple[str, ...] = (str(ctx.auth.data.get(secret) or ""),)
        else:
            keys = ctx.flow.webhook_secrets
        for key in filter(None, keys):
            digest = hmac.new(key.encode(), content, algorithm).digest()
            expected = prefix + (b64encode(digest).decode() if base64 else digest.hex())
            if hmac.compare_digest(sent.encode(), expected.encode()):
                ctx.signed_delivery = signed_content(header.lower(), content)
                return True
        return False

    return verify_webhook


def shared_token(header: str) -> VerifyFunction:
    """Verifies that `header` has the `{webhookSecret}` that was sent when the webhook was registered."""

    async def verify_webhook(ctx: Context) -> bool:
        return _is_webhook_secret(ctx, _header(ctx, header))

    return verify_webhook


def secret_in_query(name: str) -> VerifyFunction:
    """Verifies that the query parameter `name` is the `{webhookSecret}`, for services that sign nothing.

    Register the address with it: `{webhookUrl}?token={webhookSecret}`.
    """

    async def verify_webhook(ctx: Context) -> bool:
        assert ctx.request is not None
        sent = ctx.request.query.get(name)
        return isinstance(sent, str) and _is_webhook_secret(ctx, sent)

    return verify_webhook


def _is_webhook_secret(ctx: Context, sent: str) -> bool:
    """Whether a text is one of the secrets that were sent to the service, compared in constant time."""
    secrets = ctx.flow.webhook_secrets
    return any([hmac.compare_digest(sent.encode(), secret.encode()) for secret in secrets])


def _header(ctx: Context, name: str) -> str:
    assert ctx.request is not None
    return next((value for key, value in ctx.request.headers.items() if key.lower() == name.lower()), "")
