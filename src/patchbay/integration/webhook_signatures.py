"""Checks that a webhook request comes from the service: HMAC signatures and shared tokens."""

import hashlib
import hmac
from base64 import b64encode

from patchbay.domain.base import Json
from patchbay.integration.app_definition import VerifyFunction
from patchbay.integration.context import Context
from patchbay.integration.masking import secrets_of
from patchbay.integration.webhook_deliveries import signed_content

_PURPOSE = b"patchbay webhook secret"
_SERVICE_SECRETS = "patchbay.webhookSecrets"
_MAX_SERVICE_SECRETS = 3


def webhook_secret(ctx: Context) -> str:
    """A secret that only this flow and its service know: derived from what was entered for the connection.

    It stays the same when tokens are renewed. Empty without a secret in the connection's form.
    """
    app = ctx.auth.app or ctx.app
    entered = [field.key for field in (app.auth.fields if app.auth else ()) if field.is_secret]
    secrets = secrets_of(app, {key: ctx.auth.data.get(key) for key in entered})
    if not secrets:
        return ""
    key = "\0".join(secrets).encode()
    return hmac.new(key, _PURPOSE + ctx.flow.id.encode(), hashlib.sha256).hexdigest()


async def store_service_secret(ctx: Context, secret: str) -> None:
    """Store the secret that the service generated for a webhook of this flow.

    Earlier ones stay valid: the service may still send deliveries of the previous webhook.
    """
    earlier = [stored for stored in await _service_secrets(ctx) if stored != secret]
    newest: list[Json] = [secret, *earlier]
    await ctx.datastore.set(_SERVICE_SECRETS, newest[:_MAX_SERVICE_SECRETS])


async def _service_secrets(ctx: Context) -> list[str]:
    stored = await ctx.datastore.get(_SERVICE_SECRETS)
    return [str(secret) for secret in stored] if isinstance(stored, list) else []


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
        if from_service:
            keys = await _service_secrets(ctx)
        else:
            keys = [str(ctx.auth.data.get(secret) or "") if secret else webhook_secret(ctx)]
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
        key = webhook_secret(ctx)
        return bool(key) and hmac.compare_digest(_header(ctx, header).encode(), key.encode())

    return verify_webhook


def secret_in_query(name: str) -> VerifyFunction:
    """Whether the query parameter `name` is the `{webhookSecret}`, for services that sign nothing.

    Register the address with it: `{webhookUrl}?token={webhookSecret}`.
    """

    async def verify_webhook(ctx: Context) -> bool:
        assert ctx.request is not None
        key, sent = webhook_secret(ctx), ctx.request.query.get(name)
        return bool(key) and isinstance(sent, str) and hmac.compare_digest(sent.encode(), key.encode())

    return verify_webhook


def _header(ctx: Context, name: str) -> str:
    assert ctx.request is not None
    return next((value for key, value in ctx.request.headers.items() if key.lower() == name.lower()), "")
