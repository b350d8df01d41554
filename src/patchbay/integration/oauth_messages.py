"""Messages of OAuth 2, built and parsed with oauthlib, and the wait of the device flow. Sends no requests."""

import asyncio
import base64
import binascii
import logging
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from patchbay.domain.base import EpochMs, Json, JsonObject
from patchbay.domain.errors import ThirdPartyError, TimedOut, ValidationFailed
from patchbay.domain.json_limits import read_json
from patchbay.domain.outgoing import is_loopback
from patchbay.integration.context import Context
from patchbay.integration.masking import Masker
from patchbay.integration.third_party_errors import shorten

logging.getLogger("oauthlib").setLevel(logging.WARNING)  # its debug log contains tokens

STATE_BYTES = 32
VERIFIER_LENGTH = 96
_REVOKED_CODES = frozenset(("invalid_grant", "bad_refresh_token", "invalid_refresh_token", "token_revoked"))
_TOKEN_KEYS = {"access_token": "accessToken", "refresh_token": "refreshToken", "token_type": "tokenType"}
MAX_LIFETIME_SECONDS = 3e9
"""Lifetimes over a century count as a century: services use them for tokens that never expire."""
_LIFETIME_KEYS = ("expires_in", "expires_at", "scope")

_MEANINGS = {
    "access_denied": "The sign-in was denied or cancelled.",
    "invalid_grant": "The authorization code or token was already used, has expired, or was revoked.",
    "invalid_client": "The client ID or secret is wrong.",
    "unauthorized_client": "This client isn't allowed to use this kind of sign-in.",
    "invalid_scope": "One of the scopes is unknown or not allowed.",
    "redirect_uri_mismatch": "The redirect URL doesn't match the one registered for this client.",
}


def new_state() -> str:
    """A random `state` of 256 bits."""
    return secrets.token_urlsafe(STATE_BYTES)


def new_verifier() -> str:
    """A random PKCE code verifier."""
    return str(_client("").create_code_verifier(VERIFIER_LENGTH))


def authorization_url(
    authorize_url: str,
    *,
    client_id: str,
    redirect_url: str,
    scope: str,
    state: str,
    verifier: str,
    extra_params: Mapping[str, str],
) -> str:
    """The URL to open in the browser, always with state, and with PKCE (S256) if there is a verifier."""
    client = _client(client_id)
    more = dict(extra_params)
    if verifier:
        more["code_challenge"] = client.create_code_challenge(verifier, "S256")
        more["code_challenge_method"] = "S256"
    secure, restore = _with_https(authorize_url)
    made: str = client.prepare_request_uri(
        secure, redirect_uri=redirect_url, scope=scope or None, state=state, **more
    )
    return restore(made)


def code_form(client_id: str, code: str, redirect_url: str, verifier: str) -> dict[str, str]:
    """The form that exchanges a code for tokens."""
    proof = {"code_verifier": verifier} if verifier else {}
    body = _client(client_id).prepare_request_body(
        code=code, redirect_uri=redirect_url, include_client_id=False, **proof
    )
    return dict(parse_qsl(body))


def refresh_form(client_id: str, refresh_token: str) -> dict[str, str]:
    """The form that exchanges a refresh token for new tokens."""
    return dict(parse_qsl(_client(client_id).prepare_refresh_body(refresh_token=refresh_token)))


def client_credentials_form(scope: str) -> dict[str, str]:
    """The form that gets a token for the client itself (RFC 6749, 4.4)."""
    from oauthlib.oauth2 import BackendApplicationClient

    body = BackendApplicationClient("").prepare_request_body(include_client_id=False, scope=scope or None)
    return dict(parse_qsl(body))


def read_token_response(app: str, text: str, masker: Masker) -> JsonObject:
    """Parse the response of a token endpoint. Raises `ThirdPartyError` for errors sent with status 200."""
    from oauthlib.oauth2 import OAuth2Error
    from oauthlib.oauth2.rfc6749.parameters import parse_token_response

    try:
        return dict(parse_token_response(text))
    except OAuth2Error as error:
        if error.error == "missing_token":
            raise ThirdPartyError(
                app=app,
                said="",
                meaning="The response contains no access token.",
                todo="Check the token URL.",
            ) from None
        raise sign_in_error(app, str(error.error or ""), str(error.description or ""), masker) from None
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        raise ThirdPartyError(
            app=app,
            said="",
            meaning="The response doesn't contain valid tokens.",
            todo="Check the token URL.",
        ) from None


def token_data(response_data: JsonObject, now: EpochMs, before: Mapping[str, Json]) -> JsonObject:
    """The auth data of a token response. Keeps the old refresh token if no new one was sent."""
    data: JsonObject = {
        ours: response_data[theirs] for theirs, ours in _TOKEN_KEYS.items() if response_data.get(theirs)
    }
    granted = split_scopes(response_data.get("scope"))
    if granted:
        data["scope"] = " ".join(granted)
    lifetime = response_data.get("expires_in")
    has_lifetime = isinstance(lifetime, (int, float)) and lifetime > 0
    data["obtainedAt"] = now
    data["expiresAt"] = (
        now + int(min(float(str(lifetime)), MAX_LIFETIME_SECONDS) * 1000) if has_lifetime else None
    )
    rest = {
        key: value
        for key, value in response_data.items()
        if key not in _TOKEN_KEYS and key not in _LIFETIME_KEYS
    }
    earlier = before.get("tokenAnswer")
    data["tokenAnswer"] = {**(earlier if isinstance(earlier, dict) else {}), **rest}
    return data


def split_scopes(scopes: object) -> list[str]:
    """Split scopes: separated by spaces or commas, also within a list, as oauthlib reads GitHub's."""
    listed = scopes if isinstance(scopes, (list, tuple)) else [scopes or ""]
    return [part for text in listed for part in re.split(r"[\s,]+", str(text)) if part]


def sign_in_error(app: str, code: str, description: str, masker: Masker) -> ThirdPartyError:
    """The error for a rejected sign-in, with the third party's message.

    Secrets are masked before the text is shortened, because a truncated secret isn't recognised.
    """
    code, description = masker.text(code), masker.text(description)
    return ThirdPartyError(
        app=app,
        said=shorten(description or code),
        meaning=_MEANINGS.get(code, "The service didn't grant access."),
        todo="Sign in again. If it fails again, check how this client is registered with the service.",
        details={"error": code, "error_description": description} if description else {"error": code},
    )


def explain_token_error(error: ThirdPartyError) -> ThirdPartyError:
    """Add the meaning of its error code to an error from the token endpoint."""
    code = error_code(error)
    if code in _MEANINGS:
        error.meaning = _MEANINGS[code]
        error.todo = "Sign in again. If it fails again, check how this client is registered with the service."
    return error


def error_code(error: ThirdPartyError) -> str:
    """The OAuth error code of a rejection, or an empty string."""
    return str(error.details.get("error") or "") if isinstance(error.details, dict) else ""


def is_revoked(error: ThirdPartyError) -> bool:
    """Whether the refresh token will never be accepted again."""
    return error_code(error) in _REVOKED_CODES


def decode_claims(id_token: Json) -> Mapping[str, Any]:
    """The claims of an ID token, unverified: it comes directly from the token endpoint."""
    parts = str(id_token or "").split(".")
    if len(parts) != 3:
        return {}
    try:
        claims = read_json(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (binascii.Error, ValueError):
        return {}
    return claims if isinstance(claims, dict) else {}


def require_https(url: str, field: str, what: str) -> None:
    """Raise `ValidationFailed` unless the URL uses https or is on this computer."""
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        return
    if parts.scheme == "http" and is_loopback(parts.hostname or ""):
        return
    raise ValidationFailed(
        {field: [f"The {what} must start with https://."]},
        meaning="Otherwise codes and tokens are sent unencrypted.",
    )


def _client(client_id: str) -> Any:
    from oauthlib.oauth2 import WebApplicationClient

    return WebApplicationClient(client_id)


def _with_https(url: str) -> tuple[str, Callable[[str], str]]:
    """The URL with https, which oauthlib requires, and a function that restores http in the result."""
    if url.startswith("https:"):
        return url, str
    return "https" + url.removeprefix("http"), lambda made: "http" + made.removeprefix("https")


# The device flow (RFC 8628): poll until the user has entered the code on another device

DEVICE_GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"
DEFAULT_POLL_SECONDS = 5
SLOW_DOWN_SECONDS = 5
"""Seconds added to the interval after each `slow_down` response."""
DEFAULT_LIFETIME_SECONDS = 600
_MAX_SECONDS = 10**13
"""Upper limit for durations in seconds and for times in milliseconds."""

TokenRequest = Callable[[dict[str, str]], Awaitable[JsonObject]]


def device_sign_in_data(ctx: Context, response_data: Mapping[str, Any]) -> JsonObject:
    """Auth data for the device flow: the code and page to show, and the code to poll with."""
    page = response_data.get("verification_uri") or response_data.get("verification_url")
    if not (page and response_data.get("user_code") and response_data.get("device_code")):
        raise ThirdPartyError(
            app=ctx.app.name,
            said="",
            meaning="The service sent no device code.",
            todo="Check the device authorization URL.",
        )
    lifetime = _seconds(response_data.get("expires_in"), DEFAULT_LIFETIME_SECONDS)
    return {
        "url": str(response_data.get("verification_uri_complete") or page),
        "verificationUrl": str(page),
        "userCode": str(response_data["user_code"]),
        "deviceCode": str(response_data["device_code"]),
        "pollInterval": _seconds(response_data.get("interval"), DEFAULT_POLL_SECONDS),
        "deviceExpiresAt": ctx.now + lifetime * 1000,
    }


async def wait_for_grant(ctx: Context, request_tokens: TokenRequest) -> JsonObject:
    """Poll until the user has allowed or denied access, or the code has expired."""
    data = ctx.auth.data
    form = {"grant_type": DEVICE_GRANT_TYPE, "device_code": str(data["deviceCode"])}
    interval = _seconds(data.get("pollInterval"), DEFAULT_POLL_SECONDS)
    remaining_seconds = (_seconds(data.get("deviceExpiresAt"), ctx.now) - ctx.now) / 1000
    try:
        async with asyncio.timeout(remaining_seconds):
            while True:
                await asyncio.sleep(interval)
                try:
                    return await request_tokens(dict(form))
                except ThirdPartyError as error:
                    code = error_code(error)
                    if code == "slow_down":
                        interval += SLOW_DOWN_SECONDS
                    elif code != "authorization_pending":
                        raise
    except TimeoutError:
        raise TimedOut(
            f"The code for {ctx.app.name} expired before it was entered.", todo="Start the sign-in again."
        ) from None


def _seconds(value: Json, default: int) -> int:
    return int(min(value, _MAX_SECONDS)) if isinstance(value, (int, float)) and value > 0 else default
