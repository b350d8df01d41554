"""OAuth 2 for apps: authorization code and device flows, described by the service's URLs.

    oauth = oauth2(authorize_url="https://…/authorize", token_url="https://…/token", scopes=("read",))

gives `oauth.generate_auth_url` and `oauth.refresh_token`; `verify_credentials` begins with
`await oauth.sign_in(ctx)` and then asks the service who signed in. Addresses may hold `{auth.field}`.
The service opens the browser, waits for it to come back and keeps what must be kept; see `oauth_fields`.
"""

import asyncio
import base64
import binascii
import logging
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from patchbay.domain.base import EpochMs, Json, JsonObject
from patchbay.domain.errors import ThirdPartyError, TimedOut, ValidationFailed
from patchbay.domain.fields import AuthField
from patchbay.domain.json_limits import read_json
from patchbay.domain.outgoing import is_loopback
from patchbay.integration import urls
from patchbay.integration.context import Context
from patchbay.integration.masking import Masker
from patchbay.integration.request import Response
from patchbay.integration.third_party_errors import shorten

# Messages of OAuth 2, built and parsed with oauthlib. Nothing here sends requests.

logging.getLogger("oauthlib").setLevel(logging.WARNING)  # its debug lines hold tokens

STATE_BYTES = 32
VERIFIER_LENGTH = 96
_REVOKED_CODES = frozenset(("invalid_grant", "bad_refresh_token", "invalid_refresh_token", "token_revoked"))
_TOKEN_KEYS = {"access_token": "accessToken", "refresh_token": "refreshToken", "token_type": "tokenType"}
MAX_LIFETIME_SECONDS = 3e9
"""Seconds, a century: what services mean by tokens that never end."""
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
    scopes: Iterable[str],
    state: str,
    verifier: str,
    extra_params: Mapping[str, str],
) -> str:
    """The URL to open in the browser, always with state and PKCE (S256)."""
    client = _client(client_id)
    challenge = client.create_code_challenge(verifier, "S256")
    secure, restore = _with_https(authorize_url)
    made: str = client.prepare_request_uri(
        secure,
        redirect_uri=redirect_url,
        scope=list(scopes) or None,
        state=state,
        code_challenge=challenge,
        code_challenge_method="S256",
        **extra_params,
    )
    return restore(made)


def code_form(client_id: str, code: str, redirect_url: str, verifier: str) -> dict[str, str]:
    """The form that exchanges a code for tokens."""
    body = _client(client_id).prepare_request_body(
        code=code, redirect_uri=redirect_url, code_verifier=verifier, include_client_id=False
    )
    return dict(parse_qsl(body))


def refresh_form(client_id: str, refresh_token: str) -> dict[str, str]:
    """The form that exchanges a refresh token for new tokens."""
    return dict(parse_qsl(_client(client_id).prepare_refresh_body(refresh_token=refresh_token)))


def client_credentials_form(scopes: Iterable[str]) -> dict[str, str]:
    """The form that gets a token for the client itself (RFC 6749, 4.4)."""
    from oauthlib.oauth2 import BackendApplicationClient

    body = BackendApplicationClient("").prepare_request_body(
        include_client_id=False, scope=list(scopes) or None
    )
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
    """Split scopes: separated by spaces or commas, or a list."""
    parts = scopes if isinstance(scopes, (list, tuple)) else re.split(r"[\s,]+", str(scopes or ""))
    return [str(part) for part in parts if str(part)]


def sign_in_error(app: str, code: str, description: str, masker: Masker) -> ThirdPartyError:
    """The error for a refused sign-in, in the third party's words.

    Secrets are masked before the text is shortened: the beginning of a secret that was cut is not recognised.
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
    """A refusal of a token address with what its error code means."""
    code = error_code(error)
    if code in _MEANINGS:
        error.meaning = _MEANINGS[code]
        error.todo = "Sign in again. If it fails again, check how this client is registered with the service."
    return error


def error_code(error: ThirdPartyError) -> str:
    """The OAuth error code in a refusal; empty when there is none."""
    return str(error.details.get("error") or "") if isinstance(error.details, dict) else ""


def is_revoked(error: ThirdPartyError) -> bool:
    """Whether the refresh token will never be accepted again."""
    return error_code(error) in _REVOKED_CODES


def decode_claims(id_token: Json) -> Mapping[str, Any]:
    """What an ID token says. It came straight from the token address, so its signature adds nothing."""
    parts = str(id_token or "").split(".")
    if len(parts) != 3:
        return {}
    try:
        claims = read_json(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (binascii.Error, ValueError):
        return {}
    return claims if isinstance(claims, dict) else {}


def require_https(url: str, field: str, what: str) -> None:
    """Codes and tokens travel encrypted, or stay on this computer."""
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
    """oauthlib takes https only; for a service on this computer the scheme is put back afterwards."""
    if url.startswith("https:"):
        return url, str
    return "https" + url.removeprefix("http"), lambda made: "http" + made.removeprefix("https")


# The device flow (RFC 8628): poll until the user has entered the code on another device

DEVICE_GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"
DEFAULT_POLL_SECONDS = 5
SLOW_DOWN_SECONDS = 5
"""Seconds added to the interval each time the service says that it is asked too often."""
DEFAULT_LIFETIME_SECONDS = 600
_MAX_SECONDS = 10**13
"""Also of times in milliseconds; a number that is larger, or infinite, is no time."""

TokenRequest = Callable[[dict[str, str]], Awaitable[JsonObject]]


def device_sign_in_data(ctx: Context, response_data: Mapping[str, Any]) -> JsonObject:
    """Auth data for a sign-in by code: what the person is shown, and what is asked with."""
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


REDIRECT_FIELD = "oAuthRedirectUrl"
REDIRECT_PLACEHOLDER = "{REDIRECT_URL}"
SIGN_IN_KEYS = (
    "url",
    "state",
    "codeVerifier",
    "nonce",
    "callback",
    "deviceCode",
    "userCode",
    "verificationUrl",
    "pollInterval",
    "deviceExpiresAt",
)
"""What auth data hold only while somebody signs in."""
RENEWABLE_KEY = "renewable"
"""Auth data: whether a new access token can be had without a refresh token."""
GRANT_KEYS = (
    "accessToken",
    "refreshToken",
    "tokenType",
    "scope",
    "expiresAt",
    "obtainedAt",
    "tokenAnswer",
    "renewalRefused",
    "accountId",
    RENEWABLE_KEY,
)
"""What a sign-in brought, and what signing in again replaces."""


def oauth_fields(*, secret_required: bool = True) -> tuple[AuthField, ...]:
    """The three fields of an OAuth app: the redirect URL to register, client ID and client secret."""
    return (
        AuthField(
            key=REDIRECT_FIELD,
            label="OAuth redirect URL",
            required=True,
            read_only=True,
            click_to_copy=True,
            value=REDIRECT_PLACEHOLDER,
            description="Enter this redirect (callback) URL where you register Patchbay.",
        ),
        AuthField(key="clientId", label="Client ID", required=True),
        AuthField(
            key="clientSecret",
            label="Client secret",
            required=secret_required,
            description="" if secret_required else "Leave empty for a public client.",
        ),
    )


@dataclass(frozen=True, kw_only=True)
class OAuth2:
    """The OAuth 2 configuration of a service. All strings may contain `{auth.field}`; see `oauth2`."""

    token_url: str
    authorize_url: str = ""
    device_url: str = ""
    scopes: str | tuple[str, ...] = ()
    issuer: str = ""
    client_auth: str = "post"
    authorize_params: Mapping[str, str] = field(default_factory=dict)
    check_scopes: bool = True

    async def generate_auth_url(self, ctx: Context) -> None:
        """Set `url` in the auth data: the authorization URL, or the device flow's verification URL."""
        data = ctx.auth.data
        if urls.fill_template(self.device_url, data) and not urls.fill_template(self.authorize_url, data):
            url = self._require_url(ctx, self.device_url, "deviceUrl", "device authorization URL")
            form = {"scope": " ".join(self._scopes(ctx.auth.data))}
            response_data = await self._post(ctx, url, {key: value for key, value in form.items() if value})
            await ctx.auth.set(**device_sign_in_data(ctx, response_data.json()))
            return
        authorize_url = self._require_url(ctx, self.authorize_url, "authorizeUrl", "authorization URL")
        scopes, extra_params = self._scopes(data), dict(self.authorize_params)
        sign_in_data: dict[str, Json] = {
            "state": new_state(),
            "codeVerifier": new_verifier(),
        }
        if "openid" in scopes:
            sign_in_data["nonce"] = extra_params["nonce"] = new_state()
        if "offline_access" in scopes:
            extra_params.setdefault(
                "prompt", "consent"
            )  # without it, OpenID services leave the refresh token out
        address = authorization_url(
            authorize_url,
            client_id=_text_value(data, "clientId"),
            redirect_url=_text_value(data, REDIRECT_FIELD),
            scopes=scopes,
            state=str(sign_in_data["state"]),
            verifier=str(sign_in_data["codeVerifier"]),
            extra_params=extra_params,
        )
        await ctx.auth.set(url=address, **sign_in_data)

    async def sign_in(self, ctx: Context) -> None:
        """Exchange the callback's code for tokens. Does nothing if that was already done."""
        data = ctx.auth.data
        if data.get("deviceCode"):
            response_data = await wait_for_grant(ctx, lambda form: self._request_tokens(ctx, form))
        elif data.get("callback") is not None:
            code = self._authorization_code(ctx)
            form = code_form(
                _text_value(data, "clientId"),
                code,
                _text_value(data, REDIRECT_FIELD),
                _text_value(data, "codeVerifier"),
            )
            response_data = await self._request_tokens(ctx, form)
        elif data.get("accessToken"):
            return
        else:
            raise ValidationFailed({"general": [f"Sign in to {_service_name(ctx)} in the browser first."]})
        self._check_identity(ctx, response_data)
        self._check_scopes(ctx, response_data)
        cleared: JsonObject = dict.fromkeys(SIGN_IN_KEYS)
        await ctx.auth.set(**cleared, **token_data(response_data, ctx.now, data))

    async def refresh_token(self, ctx: Context) -> None:
        """Get new tokens with the refresh token. Does nothing without one."""
        data = ctx.auth.data
        refresh_token = _text_value(data, "refreshToken")
        if not refresh_token:
            return
        response_data = await self._request_tokens(
            ctx, refresh_form(_text_value(data, "clientId"), refresh_token)
        )
        await ctx.auth.set(**token_data(response_data, ctx.now, data))

    async def get_client_token(self, ctx: Context, more: Mapping[str, str] | None = None) -> None:
        """Get a token for the client itself, without a person (client credentials). `more`: further fields.

        It has no refresh token: a new one is requested when it expires.
        """
        form = client_credentials_form(self._scopes(ctx.auth.data)) | dict(more or {})
        response_data = await self._request_tokens(ctx, form)
        response_data.pop("refresh_token", None)
        self._check_scopes(ctx, response_data)
        tokens = token_data(response_data, ctx.now, ctx.auth.data)
        await ctx.auth.set(**tokens, **{RENEWABLE_KEY: True})

    async def _request_tokens(self, ctx: Context, form: dict[str, str]) -> JsonObject:
        """One request to the token address."""
        url = self._require_url(ctx, self.token_url, "tokenUrl", "token URL")
        try:
            response = await self._post(ctx, url, form)
        except ThirdPartyError as error:
            raise explain_token_error(error) from None
        return read_token_response(response.app, response.text, ctx.masker())

    async def _post(self, ctx: Context, url: str, form: dict[str, str]) -> Response:
        """Say who we are the way the service wants it: in the form, or as basic authentication."""
        client_id, secret = _text_value(ctx.auth.data, "clientId"), _text_value(ctx.auth.data, "clientSecret")
        uses_basic_auth = bool(secret) and urls.fill_template(self.client_auth, ctx.auth.data) == "basic"
        client_fields = {} if uses_basic_auth else {"client_id": client_id, "client_secret": secret}
        return await ctx.http.post(
            url,
            form={**form, **{key: value for key, value in client_fields.items() if value}},
            basic=(quote(client_id, safe=""), quote(secret, safe="")) if uses_basic_auth else None,
            headers={"accept": "application/json"},
            extra={"skip_auth": True},
            also_to=url,
        )

    def _authorization_code(self, ctx: Context) -> str:
        """The code in what came back, once everything else in it is right."""
        callback = ctx.auth.data.get("callback")
        response_data = callback if isinstance(callback, dict) else {}
        if error := str(response_data.get("error") or ""):
            description = str(response_data.get("error_description") or "")
            raise sign_in_error(_service_name(ctx), error, description, ctx.masker())
        if not compare_digest(
            str(response_data.get("state") or "").encode(), _text_value(ctx.auth.data, "state").encode()
        ):
            raise _foreign_response_error(ctx, "The response belongs to another sign-in.")
        if not self._is_issuer(ctx, str(response_data.get("iss") or "")):
            raise _foreign_response_error(
                ctx, f"The response came from an unexpected issuer, “{response_data.get('iss')}”."
            )
        if not response_data.get("code"):
            raise _foreign_response_error(ctx, "The response contains no authorization code.")
        return str(response_data["code"])

    def _is_issuer(self, ctx: Context, issuer: str) -> bool:
        """RFC 9207: who answered is who was asked. Without a known issuer, its address must be the same."""
        if not issuer:
            return True
        expected = urls.fill_template(self.issuer, ctx.auth.data)
        if expected:
            return issuer.rstrip("/") == expected.rstrip("/")
        return urls.same_origin(issuer, urls.fill_template(self.authorize_url, ctx.auth.data))

    def _check_identity(self, ctx: Context, response_data: JsonObject) -> None:
        nonce = _text_value(ctx.auth.data, "nonce")
        claims = decode_claims(response_data.get("id_token"))
        if not nonce or not claims:
            return
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        if claims.get("nonce") != nonce or _text_value(ctx.auth.data, "clientId") not in audiences:
            raise _foreign_response_error(ctx, "The ID token belongs to another sign-in.")

    def _check_scopes(self, ctx: Context, response_data: JsonObject) -> None:
        """A service may grant less than was asked for, silently; flows would find out one by one."""
        granted = split_scopes(response_data.get("scope"))
        missing = [scope for scope in self._scopes(ctx.auth.data) if scope not in granted]
        if self.check_scopes and granted and missing:
            raise ThirdPartyError(
                app=_service_name(ctx),
                said="",
                meaning=f"It granted fewer permissions than requested. Missing: {', '.join(missing)}.",
                todo=(
                    "Sign in again and allow all permissions. If it fails again, this client may not be "
                    "allowed to request them."
                ),
            )

    def _scopes(self, data: Mapping[str, Json]) -> list[str]:
        if isinstance(self.scopes, str):
            return split_scopes(urls.fill_template(self.scopes, data))
        return list(self.scopes)

    def _require_url(self, ctx: Context, template: str, field_key: str, what: str) -> str:
        url = urls.fill_template(template, ctx.auth.data)
        require_https(url, field_key, what)
        return url


def oauth2(
    *,
    token_url: str,
    authorize_url: str = "",
    device_url: str = "",
    scopes: str | Iterable[str] = (),
    issuer: str = "",
    client_auth: str = "post",
    authorize_params: Mapping[str, str] | None = None,
    check_scopes: bool = True,
) -> OAuth2:
    """Describe a service's OAuth 2.

    `device_url` without `authorize_url` means the device flow (RFC 8628). `issuer` is what the service puts
    into `iss` (RFC 9207); without it the answer must come from the host that was asked. `client_auth` is
    `post` or `basic`: how client ID and secret are sent. `check_scopes=False` for services that name what
    they granted differently from what was asked.
    """
    return OAuth2(
        token_url=token_url,
        authorize_url=authorize_url,
        device_url=device_url,
        scopes=scopes if isinstance(scopes, str) else tuple(scopes),
        issuer=issuer,
        client_auth=client_auth,
        authorize_params=dict(authorize_params or {}),
        check_scopes=check_scopes,
    )


def _text_value(data: Mapping[str, Json], key: str) -> str:
    value = data.get(key)
    return "" if value is None else str(value).strip()


def _service_name(ctx: Context) -> str:
    return urls.service_name(
        ctx.app, _text_value(ctx.auth.data, "authorizeUrl") or _text_value(ctx.auth.data, "tokenUrl")
    )


def _foreign_response_error(ctx: Context, meaning: str) -> ThirdPartyError:
    return ThirdPartyError(
        app=_service_name(ctx),
        said="",
        meaning=meaning,
        todo="Sign in again. If this happens again, the sign-in may be under attack.",
    )
