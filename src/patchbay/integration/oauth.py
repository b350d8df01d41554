"""OAuth 2 by description: say where the service signs people in, and the methods of an `Auth` are there.

    oauth = oauth2(authorize_url="https://…/authorize", token_url="https://…/token", scopes=("read",))

gives `oauth.generate_auth_url` and `oauth.refresh_token`; `verify_credentials` begins with
`await oauth.sign_in(ctx)` and then asks the service who signed in. Addresses may hold `{auth.field}`.
The service opens the browser, waits for it to come back and keeps what must be kept; see `oauth_fields`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from urllib.parse import quote

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.domain.fields import AuthField
from patchbay.integration import addresses, oauth_device, oauth_protocol
from patchbay.integration.context import Context
from patchbay.integration.oauth_protocol import split_scopes
from patchbay.integration.request import Response

REDIRECT_FIELD = "oAuthRedirectUrl"
REDIRECT_PLACEHOLDER = "{REDIRECT_URL}"
PASSING = (
    "url", "state", "codeVerifier", "nonce", "callback", "deviceCode", "userCode", "verificationUrl",
    "pollInterval", "deviceExpiresAt",
)  # fmt: skip
"""What auth data hold only while somebody signs in."""
GRANTED = (
    "accessToken", "refreshToken", "tokenType", "scope", "expiresAt", "obtainedAt", "tokenAnswer",
    "renewalRefused", "accountId",
)  # fmt: skip
"""What a sign-in brought, and what signing in again replaces."""


def oauth_fields(*, secret_required: bool = True) -> tuple[AuthField, ...]:
    """The three fields of an OAuth app: the redirect URL to register, client ID and client secret."""
    return (
        AuthField(
            key=REDIRECT_FIELD,
            label="OAuth Redirect URL",
            required=True,
            read_only=True,
            click_to_copy=True,
            value=REDIRECT_PLACEHOLDER,
            description="Enter this address as the redirect or callback URL where you register Patchbay.",
        ),
        AuthField(key="clientId", label="Client ID", required=True),
        AuthField(
            key="clientSecret", label="Client Secret", required=secret_required,
            description="" if secret_required else "Leave empty for a public client.",
        ),
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class OAuth2:
    """How one signs in at a service. All texts may hold `{auth.field}`; see `oauth2`."""

    token_url: str
    authorize_url: str = ""
    device_url: str = ""
    scopes: str | tuple[str, ...] = ()
    issuer: str = ""
    client_auth: str = "post"
    authorize_params: Mapping[str, str] = field(default_factory=dict)
    check_scopes: bool = True

    async def generate_auth_url(self, ctx: Context) -> None:
        """Make the address to sign in at, or ask for a code to type there; puts it into `url`."""
        data = ctx.auth.data
        if addresses.filled(self.device_url, data) and not addresses.filled(self.authorize_url, data):
            await self._begin_device(ctx)
            return
        authorize_url = self._address(ctx, self.authorize_url, "authorizeUrl", "authorization address")
        scopes, more = self._scopes(data), dict(self.authorize_params)
        passing: dict[str, Json] = {
            "state": oauth_protocol.new_state(), "codeVerifier": oauth_protocol.new_verifier(),
        }  # fmt: skip
        if "openid" in scopes:
            passing["nonce"] = more["nonce"] = oauth_protocol.new_state()
        if "offline_access" in scopes:
            more.setdefault("prompt", "consent")  # without it, OpenID services leave the refresh token out
        address = oauth_protocol.authorization_address(
            authorize_url,
            client_id=_text(data, "clientId"),
            redirect_url=_text(data, REDIRECT_FIELD),
            scopes=scopes,
            state=str(passing["state"]),
            verifier=str(passing["codeVerifier"]),
            more=more,
        )
        await ctx.auth.set(url=address, **passing)

    async def sign_in(self, ctx: Context) -> None:
        """Turn what came back into tokens. Nothing happens when that was done before."""
        data = ctx.auth.data
        if data.get("deviceCode"):
            answer = await oauth_device.granted(ctx, lambda form: self._ask(ctx, form))
        elif data.get("callback") is not None:
            code = self._code(ctx)
            form = oauth_protocol.code_form(
                _text(data, "clientId"), code, _text(data, REDIRECT_FIELD), _text(data, "codeVerifier")
            )
            answer = await self._ask(ctx, form)
        elif data.get("accessToken"):
            return
        else:
            raise ValidationFailed({"general": [f"Sign in at {_who(ctx)} in the browser first."]})
        self._check_identity(ctx, answer)
        self._check_scopes(ctx, answer)
        done: JsonObject = dict.fromkeys(PASSING)
        await ctx.auth.set(**done, **oauth_protocol.tokens(answer, ctx.now, data))

    async def refresh_token(self, ctx: Context) -> None:
        """Get new tokens with the refresh token. Nothing happens where there is none."""
        data = ctx.auth.data
        refresh_token = _text(data, "refreshToken")
        if not refresh_token:
            return
        answer = await self._ask(ctx, oauth_protocol.refresh_form(_text(data, "clientId"), refresh_token))
        await ctx.auth.set(**oauth_protocol.tokens(answer, ctx.now, data))

    async def _begin_device(self, ctx: Context) -> None:
        url = self._address(ctx, self.device_url, "deviceUrl", "device address")
        form = {"scope": " ".join(self._scopes(ctx.auth.data))}
        answer = await self._post(ctx, url, {key: value for key, value in form.items() if value})
        await ctx.auth.set(**oauth_device.asked(ctx, answer.json()))

    async def _ask(self, ctx: Context, form: dict[str, str]) -> JsonObject:
        """One request to the token address."""
        url = self._address(ctx, self.token_url, "tokenUrl", "token address")
        try:
            response = await self._post(ctx, url, form)
        except ThirdPartyError as error:
            raise oauth_protocol.told(error) from None
        return oauth_protocol.token_answer(response.app, response.text, ctx.masker())

    async def _post(self, ctx: Context, url: str, form: dict[str, str]) -> Response:
        """Say who we are the way the service wants it: in the form, or as basic authentication."""
        client_id, secret = _text(ctx.auth.data, "clientId"), _text(ctx.auth.data, "clientSecret")
        by_header = bool(secret) and addresses.filled(self.client_auth, ctx.auth.data) == "basic"
        who = {} if by_header else {"client_id": client_id, "client_secret": secret}
        return await ctx.http.post(
            url,
            form={**form, **{key: value for key, value in who.items() if value}},
            basic=(quote(client_id, safe=""), quote(secret, safe="")) if by_header else None,
            headers={"accept": "application/json"},
            extra={"skip_auth": True},
            also_to=url,
        )

    def _code(self, ctx: Context) -> str:
        """The code in what came back, once everything else in it is right."""
        callback = ctx.auth.data.get("callback")
        answer = callback if isinstance(callback, dict) else {}
        if error := str(answer.get("error") or ""):
            description = str(answer.get("error_description") or "")
            raise oauth_protocol.refused(_who(ctx), error, description, ctx.masker())
        if not compare_digest(
            str(answer.get("state") or "").encode(), _text(ctx.auth.data, "state").encode()
        ):
            raise _not_ours(ctx, "The answer belongs to another sign-in.")
        if not self._is_issuer(ctx, str(answer.get("iss") or "")):
            raise _not_ours(ctx, f"The answer came from “{answer.get('iss')}”, which was not asked.")
        if not answer.get("code"):
            raise _not_ours(ctx, "The answer holds no code.")
        return str(answer["code"])

    def _is_issuer(self, ctx: Context, issuer: str) -> bool:
        """RFC 9207: who answered is who was asked. Without a known issuer, its address must be the same."""
        if not issuer:
            return True
        expected = addresses.filled(self.issuer, ctx.auth.data)
        if expected:
            return issuer.rstrip("/") == expected.rstrip("/")
        return addresses.same_origin(issuer, addresses.filled(self.authorize_url, ctx.auth.data))

    def _check_identity(self, ctx: Context, answer: JsonObject) -> None:
        nonce = _text(ctx.auth.data, "nonce")
        claims = oauth_protocol.claims_of(answer.get("id_token"))
        if not nonce or not claims:
            return
        audience = claims.get("aud")
        meant = audience if isinstance(audience, list) else [audience]
        if claims.get("nonce") != nonce or _text(ctx.auth.data, "clientId") not in meant:
            raise _not_ours(ctx, "Its identity token belongs to another sign-in.")

    def _check_scopes(self, ctx: Context, answer: JsonObject) -> None:
        """A service may grant less than was asked for, silently; flows would find out one by one."""
        granted = oauth_protocol.split_scopes(answer.get("scope"))
        missing = [scope for scope in self._scopes(ctx.auth.data) if scope not in granted]
        if self.check_scopes and granted and missing:
            raise ThirdPartyError(
                app=_who(ctx),
                said="",
                meaning=f"It granted less than was asked for. Missing: {', '.join(missing)}.",
                todo="Sign in again and allow all of it; if it stays, this client may not have them.",
            )

    def _scopes(self, data: Mapping[str, Json]) -> list[str]:
        if isinstance(self.scopes, str):
            return split_scopes(addresses.filled(self.scopes, data))
        return list(self.scopes)

    def _address(self, ctx: Context, template: str, field_key: str, what: str) -> str:
        url = addresses.filled(template, ctx.auth.data)
        oauth_protocol.require_secure(url, field_key, what)
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


def _text(data: Mapping[str, Json], key: str) -> str:
    value = data.get(key)
    return "" if value is None else str(value).strip()


def _who(ctx: Context) -> str:
    return addresses.service_name(
        ctx.app, _text(ctx.auth.data, "authorizeUrl") or _text(ctx.auth.data, "tokenUrl")
    )


def _not_ours(ctx: Context, meaning: str) -> ThirdPartyError:
    return ThirdPartyError(
        app=_who(ctx), said="", meaning=meaning,
        todo="Sign in again. If this comes back, somebody may be tampering with the sign-in.",
    )  # fmt: skip
