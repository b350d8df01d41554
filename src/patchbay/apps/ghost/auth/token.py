"""The token of a request: a JSON web token (RFC 7519) that is signed with the admin key."""

import hashlib
import hmac
import json
from base64 import urlsafe_b64encode

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import ValidationFailed
from patchbay.integration import Context, RequestConfig, urls
from patchbay.integration.values import text_of

_LIFETIME_SECONDS = 300
"""The longest that Ghost accepts."""


def make_token(api_key: str, now_seconds: int) -> str:
    """A token for the Admin API. Raises `ValidationFailed` for a key without an ID or a secret."""
    key_id, _, secret = api_key.partition(":")
    try:
        key = bytes.fromhex(secret)
    except ValueError:
        key = b""
    if not key_id or not key:
        raise ValidationFailed(
            {"apiKey": ["This isn't an Admin API key."]},
            todo="Copy the Admin API key of the integration, not its Content API key.",
        )
    header = _encode({"alg": "HS256", "typ": "JWT", "kid": key_id})
    claims = _encode({"iat": now_seconds, "exp": now_seconds + _LIFETIME_SECONDS, "aud": "/admin/"})
    signature = hmac.new(key, f"{header}.{claims}".encode(), hashlib.sha256).digest()
    return f"{header}.{claims}.{_base64(signature)}"


def add_token(ctx: Context, config: RequestConfig) -> RequestConfig:
    """Add a token to a request to the site."""
    api_key = text_of(ctx.auth.data, "apiKey").strip()
    if api_key and not config.extra.get("skip_auth") and urls.same_origin(config.base_url, ctx.http.base_url):
        config.headers["Authorization"] = f"Ghost {make_token(api_key, ctx.now // 1000)}"
    return config


def _encode(value: JsonObject) -> str:
    return _base64(json.dumps(value, separators=(",", ":")).encode())


def _base64(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")
