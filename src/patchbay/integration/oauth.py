"""OAuth 2 for apps: authorization code and device flows, described by the service's URLs.

    oauth = oauth2(authorize_url="https://…/authorize", token_url="https://…/token", scopes=("read",))

provides `oauth.generate_auth_url` and `oauth.refresh_token`; `verify_credentials` starts with
`await oauth.sign_in(ctx)` and then requests the account's name. URLs may contain `{auth.field}`.
Patchbay opens the browser, waits for the redirect, and stores the tokens; see `oauth_fields`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from inspect import unwrap
from urllib.parse import quote

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.domain.fields import AuthField
from patchbay.integration import urls
from patchbay.integration.app_definition import Auth
from patchbay.integration.context import Context
from patchbay.integration.oauth_messages import (
    authorization_url,
    client_credentials_form,
    code_form,
    decode_claims,
    device_sign_in_data,
    explain_token_error,
    new_state,
    new_verifier,
    read_token_response,
    refresh_form,
    require_https,
    sign_in_error,
    split_scopes,
    token_data,
    wait_for_grant,
)
from patchbay.integration.request import RequestOptions, Response
from patchbay.integration.templates import fill_text
from patchbay.integration.token_renewal import RENEWAL_REJECTED_KEY

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
    "requestSecret",
)
"""Auth data that is only needed during a sign-in."""
RENEWABLE_KEY = "renewable"
"""Auth data: whether a new access token can be requested without a refresh token."""
GRANT_KEYS = (
    "accessToken",
    "accessSecret",
    "refreshToken",
    "tokenType",
    "scope",
    "expiresAt",
    "obtainedAt",
    "tokenAnswer",
    RENEWAL_REJECTED_KEY,
    "accountId",
    RENEWABLE_KEY,
)
"""Auth data that a sign-in sets and the next one replaces."""


def oauth_fields(
    *,
    secret_required: bool = True,
    client_id: str = "clientId",
    client_secret: str = "clientSecret",
    client_id_label: str = "Client ID",
    client_secret_label: str = "Client secret",
) -> tuple[AuthField, ...]:
    """The three fields of an OAuth app: the redirect URL to register, client ID and client secret.

    `client_id` and `client_secret` are the keys of the fields, as in `oauth2`.
    """
    return (
        AuthField(
            key=REDIRECT_FIELD,
            label="OAuth redirect URL",
            required=True,
            read_only=True,
            click_to_copy=True,
            value=REDIRECT_PLACEHOLDER,
            description="Enter this URL in the app's developer console, as the redirect (callback) URL.",
        ),
        AuthField(key=client_id, label=client_id_label, required=True, secret=False),
        AuthField(
            key=client_secret,
            label=client_secret_label,
            required=secret_required,
            description="" if secret_required else "Leave empty for a public client.",
        ),
    )


class BrowserSignIn:
    """A sign-in in the browser, described by addresses that may contain `{auth.field}`."""

    @property
    def address_templates(self) -> tuple[str, ...]:
        """Everything that determines where the client's secret and the tokens are sent."""
        return ()

    @property
    def needs_redirect(self) -> bool:
        """Whether the browser returns to Patchbay."""
        return True


def oauth2_of(auth: Auth) -> "OAuth2 | None":
    """The `oauth2(…)` of an app; None if it signs in differently."""
    # `AppThreads.wrap` wraps it in third-party apps.
    method = auth.generate_auth_url
    found = getattr(unwrap(method), "__self__", None) if method is not None else None
    return found if isinstance(found, OAuth2) else None


@dataclass(frozen=True, kw_only=True)
class Revocation:
    """How a service ends a sign-in; see `revocation`."""

    url: str
    body: Mapping[str, str]
    method: str = "POST"
    client_auth: str | None = None
    encoding: str | None = None


def revocation(
    url: str,
    body: Mapping[str, str] | None = None,
    *,
    method: str = "POST",
    client_auth: str | None = None,
    encoding: str | None = None,
) -> Revocation:
    """How a service ends a sign-in, for `oauth2(revoke=…)`. With only its address, as in RFC 7009.

    `body` has templates of the auth data, by default the refresh token, or else the access token, as
    `token`. `client_auth` is how the request is authenticated: `post` or `basic` with the client's ID and
    secret, `token` with the access token like the app's other requests, or `none`. `encoding` is `form` or
    `json`. Both are by default those of the token request.
    """
    sent = {"token": "{refreshToken|accessToken}"} if body is None else dict(body)
    return Revocation(url=url, body=sent, method=method, client_auth=client_auth, encoding=encoding)


@dataclass(frozen=True, kw_only=True)
class OAuth2(BrowserSignIn):
    """The OAuth 2 configuration of a service. All strings may contain `{auth.field}`; see `oauth2`."""

    token_url: str
    authorize_url: str = ""
    device_url: str = ""
    scopes: str | tuple[str, ...] = ()
    issuer: str = ""
    client_auth: str = "post"
    authorize_params: Mapping[str, str] = field(default_factory=dict)
    check_scopes: bool = True
    client_id_field: str = "clientId"
    client_secret_field: str = "clientSecret"
    scope_separator: str = " "
    scope_param: str = "scope"
    token_encoding: str = "form"
    token_params: Mapping[str, str | int] = field(default_factory=dict)
    stores: Mapping[str, str] = field(default_factory=dict)
    pkce: bool = True
    revocation: Revocation | None = None

    @property
    def address_templates(self) -> tuple[str, ...]:
        """Token, authorization, device, and revocation URL, issuer, and how the client's secret is sent."""
        revoke_url = self.revocation.url if self.revocation else ""
        urls_used = (self.token_url, self.authorize_url, self.device_url, revoke_url)
        return (*urls_used, self.issuer, self.client_auth)

    @property
    def needs_redirect(self) -> bool:
        """Whether the browser returns to Patchbay: not in the device flow."""
        return bool(self.authorize_url)

    async def generate_auth_url(self, ctx: Context) -> None:
        """Set `url` in the auth data: the authorization URL, or the device flow's verification URL."""
        data = ctx.auth.data
        if urls.fill_template(self.device_url, data) and not urls.fill_template(self.authorize_url, data):
            await self._start_device_flow(ctx)
            return
        authorize_url = self._require_url(ctx, self.authorize_url, "authorizeUrl", "authorization URL")
        scopes, extra_params = self._scopes(data), dict(self.authorize_params)
        sign_in_data: dict[str, Json] = {
            "state": new_state(),
            "codeVerifier": new_verifier() if self.pkce else "",
        }
        if "openid" in scopes:
            sign_in_data["nonce"] = extra_params["nonce"] = new_state()
        if "offline_access" in scopes:
            # Without it, OpenID services leave the refresh token out.
            extra_params.setdefault("prompt", "consent")
        scope = self.scope_separator.join(scopes)
        if scope and self.scope_param != "scope":
            extra_params[self.scope_param], scope = scope, ""
        address = authorization_url(
            authorize_url,
            client_id=self._client_id(data),
            redirect_url=auth_text(data, REDIRECT_FIELD),
            scope=scope,
            state=str(sign_in_data["state"]),
            verifier=str(sign_in_data["codeVerifier"]),
            extra_params=extra_params,
        )
        await ctx.auth.set(url=address, **sign_in_data)

    async def _start_device_flow(self, ctx: Context) -> None:
        url = self._require_url(ctx, self.device_url, "deviceUrl", "device authorization URL")
        scope = self.scope_separator.join(self._scopes(ctx.auth.data))
        response = await self._post(ctx, url, {"scope": scope} if scope else {})
        await ctx.auth.set(**device_sign_in_data(ctx, response.json()))

    async def sign_in(self, ctx: Context) -> None:
        """Exchange the callback's code for tokens. Does nothing if that was already done."""
        data = ctx.auth.data
        if data.get("deviceCode"):
            response_data = await wait_for_grant(ctx, lambda form: self._request_tokens(ctx, form))
        elif data.get("callback") is not None:
            code = self._authorization_code(ctx)
            form = code_form(
                self._client_id(data),
                code,
                auth_text(data, REDIRECT_FIELD),
                auth_text(data, "codeVerifier"),
            )
            response_data = await self._request_tokens(ctx, form)
        elif data.get("accessToken"):
            return
        else:
            raise ValidationFailed({"general": [f"Sign in to {_service_name(ctx)} in the browser first."]})
        self._check_identity(ctx, response_data)
        self._check_scopes(ctx, response_data)
        cleared: JsonObject = dict.fromkeys(SIGN_IN_KEYS)
        await ctx.auth.set(
            **cleared, **token_data(response_data, ctx.now, data), **self._stored(response_data)
        )

    async def refresh_token(self, ctx: Context) -> None:
        """Get new tokens with the refresh token. Does nothing without one."""
        data = ctx.auth.data
        refresh_token = auth_text(data, "refreshToken")
        if not refresh_token:
            return
        response_data = await self._request_tokens(ctx, refresh_form(self._client_id(data), refresh_token))
        await ctx.auth.set(**token_data(response_data, ctx.now, data), **self._stored(response_data))

    async def revoke(self, ctx: Context) -> None:
        """End the sign-in at the service, so that its tokens become invalid, if the service offers that."""
        data, how = ctx.auth.data, self.revocation
        url = urls.fill_template(how.url, data) if how else ""
        if how is None or not url or not (data.get("accessToken") or data.get("refreshToken")):
            return
        require_https(url, "revokeUrl", "revocation URL")
        expires_at = data.get("expiresAt")
        if how.client_auth == "token" and isinstance(expires_at, (int, float)) and expires_at <= ctx.now:
            await self.refresh_token(ctx)
        body = {key: fill_text(template, ctx.auth.data) for key, template in how.body.items()}
        try:
            await self._post(ctx, url, body, how)
        except ThirdPartyError as error:
            raise explain_token_error(error) from None

    async def get_client_token(self, ctx: Context, more: Mapping[str, str] | None = None) -> None:
        """Get a token for the client itself, without a person (client credentials). `more`: further fields.

        It has no refresh token: a new one is requested when it expires.
        """
        scope = self.scope_separator.join(self._scopes(ctx.auth.data))
        form = client_credentials_form(scope) | dict(more or {})
        response_data = await self._request_tokens(ctx, form)
        response_data.pop("refresh_token", None)
        self._check_scopes(ctx, response_data)
        tokens = token_data(response_data, ctx.now, ctx.auth.data)
        await ctx.auth.set(**tokens, **{RENEWABLE_KEY: True})

    async def _request_tokens(self, ctx: Context, form: dict[str, str]) -> JsonObject:
        """Request tokens from the token endpoint."""
        url = self._require_url(ctx, self.token_url, "tokenUrl", "token URL")
        try:
            response = await self._post(ctx, url, {**form, **self.token_params})
        except ThirdPartyError as error:
            raise explain_token_error(error) from None
        return read_token_response(response.app, response.text, ctx.masker())

    async def _post(
        self, ctx: Context, url: str, form: Mapping[str, str | int], how: Revocation | None = None
    ) -> Response:
        """Send a form with the client's ID and secret, either in the form or as basic authentication.

        `how`: the revocation, if the form is for one.
        """
        client_id, secret = self._client_id(ctx.auth.data), self._client_secret(ctx.auth.data)
        client_auth = (how and how.client_auth) or urls.fill_template(self.client_auth, ctx.auth.data)
        uses_basic_auth = bool(secret) and client_auth == "basic"
        in_body = not uses_basic_auth and client_auth not in ("token", "none")
        client_fields = {"client_id": client_id, "client_secret": secret} if in_body else {}
        sent = {**form, **{key: value for key, value in client_fields.items() if value}}
        call: RequestOptions = {
            "basic": (quote(client_id, safe=""), quote(secret, safe="")) if uses_basic_auth else None,
            "headers": {"accept": "application/json"},
        }
        if client_auth != "token":
            call |= {"extra": {"skip_auth": True}, "also_to": url}
        if sent and ((how and how.encoding) or self.token_encoding) == "json":
            call["json"] = sent
        elif sent:
            call["form"] = sent
        return await ctx.http.request(how.method if how else "POST", url, **call)

    def _client_id(self, data: Mapping[str, Json]) -> str:
        return auth_text(data, self.client_id_field)

    def _client_secret(self, data: Mapping[str, Json]) -> str:
        return auth_text(data, self.client_secret_field)

    def _stored(self, response_data: JsonObject) -> JsonObject:
        """What the app keeps of a token response; what isn't in it stays as it was."""
        filled = {key: fill_text(template, response_data) for key, template in self.stores.items()}
        return {key: value for key, value in filled.items() if value}

    def _authorization_code(self, ctx: Context) -> str:
        """The authorization code in the callback, after checking its error, state, and issuer."""
        callback = ctx.auth.data.get("callback")
        response_data = callback if isinstance(callback, dict) else {}
        if error := str(response_data.get("error") or ""):
            description = str(response_data.get("error_description") or "")
            raise sign_in_error(_service_name(ctx), error, description, ctx.masker())
        if not compare_digest(
            str(response_data.get("state") or "").encode(), auth_text(ctx.auth.data, "state").encode()
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
        """Whether the issuer matches (RFC 9207). If none is configured, the origins must be the same."""
        if not issuer:
            return True
        expected = urls.fill_template(self.issuer, ctx.auth.data)
        if expected:
            return issuer.rstrip("/") == expected.rstrip("/")
        return urls.same_origin(issuer, urls.fill_template(self.authorize_url, ctx.auth.data))

    def _check_identity(self, ctx: Context, response_data: JsonObject) -> None:
        nonce = auth_text(ctx.auth.data, "nonce")
        claims = decode_claims(response_data.get("id_token"))
        if not nonce or not claims:
            return
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        if claims.get("nonce") != nonce or self._client_id(ctx.auth.data) not in audiences:
            raise _foreign_response_error(ctx, "The ID token belongs to another sign-in.")

    def _check_scopes(self, ctx: Context, response_data: JsonObject) -> None:
        """Raise if the service granted fewer scopes than requested. Otherwise flows would fail later."""
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
    client_id_field: str = "clientId",
    client_secret_field: str = "clientSecret",
    scope_separator: str = " ",
    scope_param: str = "scope",
    token_encoding: str = "form",
    token_params: Mapping[str, str | int] | None = None,
    stores: Mapping[str, str] | None = None,
    pkce: bool = True,
    revoke: Revocation | None = None,
) -> OAuth2:
    """Describe a service's OAuth 2.

    `device_url` without `authorize_url` means the device flow (RFC 8628). `issuer` is what the service puts
    into `iss` (RFC 9207); without it, the issuer must have the origin of `authorize_url`. `client_auth` is
    `post` or `basic`: how client ID and secret are sent. `check_scopes=False` for services that name granted
    scopes differently from requested ones. `client_id_field` and `client_secret_field` are the keys
    of the auth fields, `scope_param` the name under which scopes are requested. `token_encoding` is `form`
    or `json`, `token_params` are sent with each token request. `stores` has templates of values in the token
    response that the connection keeps, such as `{"instanceUrl": "{instance_url}"}`. `pkce=False` for
    services that reject it. `revoke` is how the service ends the sign-in of a deleted connection.
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
        client_id_field=client_id_field,
        client_secret_field=client_secret_field,
        scope_separator=scope_separator,
        scope_param=scope_param,
        token_encoding=token_encoding,
        token_params=dict(token_params or {}),
        stores=dict(stores or {}),
        pkce=pkce,
        revocation=revoke,
    )


def auth_text(data: Mapping[str, Json], key: str) -> str:
    """A value of the auth data as text; empty if missing."""
    value = data.get(key)
    return "" if value is None else str(value).strip()


def _service_name(ctx: Context) -> str:
    return urls.service_name(
        ctx.app, auth_text(ctx.auth.data, "authorizeUrl") or auth_text(ctx.auth.data, "tokenUrl")
    )


def _foreign_response_error(ctx: Context, meaning: str) -> ThirdPartyError:
    return ThirdPartyError(
        app=_service_name(ctx),
        said="",
        meaning=meaning,
        todo="Sign in again. If this happens again, the sign-in may be under attack.",
    )
