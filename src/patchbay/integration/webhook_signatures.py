"""Checks that a webhook request comes from the service: HMAC signatures and shared tokens."""

import hashlib
import hmac
from base64 import b64encode

from patchbay.integration.app_definition import VerifyFunction
from patchbay.integration.context import Context
from patchbay.integration.masking import secrets_of
from patchbay.integration.webhook_deliveries import signed_content

_PURPOSE = b"patchbay webhook secret"


def webhook_secret(ctx: Context) -> str:
    """A secret that only this flow and its service know.

    It is derived from what was entered for the connection when the webhook is registered, and stays the same
    until the webhook is registered again. Empty without a secret in the connection's form.
    """
    if ctx.flow.webhook_secrets:
        return ctx.flow.webhook_secrets[0]
    app = ctx.auth.app or ctx.app
    entered = [field.key for field in (app.auth.fields if app.auth else ()) if field.is_secret]
    secrets = secrets_of(app, {key: ctx.auth.data.get(key) for key in entered})
    if not secrets:
        return ""
    key = "\0".join(secrets).encode()
    return hmac.new(key, _PURPOSE + ctx.flow.id.encode(), hashlib.sha256).hexdigest()


def hmac_signature(
    header: str,
    *,
    prefix: str = "",
    algorithm: str = "sha256",
    base64: bool = False,
    secret: str = "",
    from_service: bool = False,
) -> VerifyFunction:
    """Whether `header` has the HMAC of the request's body.

    The key is `{webhookSecret}`, or the auth field `secret`, or with `from_service` the secret that the
    service generated (`webhook_trigger(service_secret=…)`). The ID of the delivery is then its content.
    """

    async def verify_webhook(ctx: Context) -> bool:
        assert ctx.request is not None
        content, sent = ctx.request.raw_body, _header(ctx, header)
        if secret:
            keys: tuple[str, ...] = (str(ctx.auth.data.get(secret) or ""),)
        else:
            keys = ctx.flow.webhook_secrets if from_service else _webhook_secrets(ctx)
        for key in filter(None, keys):
            digest = hmac.new(key.encode(), content, algorithm).digest()
            expected = prefix + (b64encode(digest).decode() if base64 else digest.hex())
            if hmac.compare_digest(sent.encode(), expected.encode()):
                ctx.signed_delivery = signed_content(header.lower(), content)
                return True
        return False

    return verify_webhook


def shared_token(header: str) -> VerifyFunction:
    """Whether `header` has the `{webhookSecret}` that was sent when the webhook was registered."""

    async def verify_webhook(ctx: Context) -> bool:
        return _is_webhook_secret(ctx, _header(ctx, header))

    return verify_webhook


def secret_in_query(name: str) -> VerifyFunction:
    """Whether the query parameter `name` is the `{webhookSecret}`, for services that sign nothing.

    Register the address with it: `{webhookUrl}?token={webhookSecret}`.
    """

    async def verify_webhook(ctx: Context) -> bool:
        assert ctx.request is not None
        sent = ctx.request.query.get(name)
        return isinstance(sent, str) and _is_webhook_secret(ctx, sent)

    return verify_webhook


def _is_webhook_secret(ctx: Context, sent: str) -> bool:
    """Whether a text is one of the secrets that were sent to the service, compared in constant time."""
    secrets = filter(None, _webhook_secrets(ctx))
    return any(hmac.compare_digest(sent.encode(), secret.encode()) for secret in secrets)


def _webhook_secrets(ctx: Context) -> tuple[str, ...]:
    """The secrets that were sent to the service; the derived one if none is stored."""
    return ctx.flow.webhook_secrets or (webhook_secret(ctx),)


def _header(ctx: Context, name: str) -> str:
    assert ctx.request is not None
    return next((value for key, value in ctx.request.headers.items() if key.lower() == name.lower()), "")
