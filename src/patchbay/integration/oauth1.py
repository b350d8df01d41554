"""OAuth 1.0a (RFC 5849) for apps: request token, authorization, access token, and signed requests.

    oauth = oauth1(request_token_url="https://…", authorize_url="https://…", access_token_url="https://…")

gives `oauth.generate_auth_url`, `oauth.sign_in`, and `oauth.sign` for `before_request`, where it comes last:
it signs what the hooks before it have changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.integration import urls
from patchbay.integration.context import Context
from patchbay.integration.oauth import REDIRECT_FIELD, SIGN_IN_KEYS, BrowserSignIn, auth_text
from patchbay.integration.oauth_messages import require_https
from patchbay.integration.request import RequestConfig
from patchbay.integration.templates import fill_text

_FORM_TYPE = "application/x-www-form-urlencoded"


@dataclass(frozen=True, kw_only=True)
class OAuth1(BrowserSignIn):
    """The OAuth 1.0a configuration of a service; see `oauth1`."""

    request_token_url: str
    authorize_url: str
    access_token_url: str
    authorize_params: Mapping[str, str] = field(default_factory=dict)
    client_id_field: str = "consumerKey"
    client_secret_field: str = "consumerSecret"
    stores: Mapping[str, str] = field(default_factory=dict)

    @property
    def address_templates(self) -> tuple[str, ...]:
        """The three addresses."""
        return (self.request_token_url, self.authorize_url, self.access_token_url)

    async def generate_auth_url(self, ctx: Context) -> None:
        """Get a request token and set `url` in the auth data. The request token is the sign-in's state."""
        redirect_url = auth_text(ctx.auth.data, REDIRECT_FIELD)
        granted = await self._request_token(
            ctx, self.request_token_url, callback_uri=redirect_url, resource_owner_key=""
        )
        query = urlencode({"oauth_token": granted["oauth_token"], **self.authorize_params})
        address = urls.fill_template(self.authorize_url, ctx.auth.data)
        require_https(address, "authorizeUrl", "authorization URL")
        await ctx.auth.set(
            url=f"{address}{'&' if '?' in address else '?'}{query}",
            state=granted["oauth_token"],
            requestSecret=granted["oauth_token_secret"],
        )

    async def sign_in(self, ctx: Context) -> None:
        """Exchange the verifier in the callback for tokens. Does nothing if that was already done."""
        data = ctx.auth.data
        callback = data.get("callback")
        if not isinstance(callback, dict):
            if data.get("accessToken"):
                return
            raise ValidationFailed({"general": [f"Sign in to {ctx.app.name} in the browser first."]})
        verifier = str(callback.get("oauth_verifier") or "")
        if callback.get("oauth_token") != data.get("state") or not verifier:
            raise ThirdPartyError(
                app=ctx.app.name,
                said="",
                meaning="The sign-in was denied or cancelled.",
                todo="Sign in again.",
            )
        granted = await self._request_token(
            ctx,
            self.access_token_url,
            resource_owner_key=str(data.get("state") or ""),
            resource_owner_secret=str(data.get("requestSecret") or ""),
            verifier=verifier,
        )
        kept = {key: fill_text(template, granted) for key, template in self.stores.items()}
        cleared: JsonObject = dict.fromkeys(SIGN_IN_KEYS)
        await ctx.auth.set(
            **cleared,
            **kept,
            accessToken=granted["oauth_token"],
            accessSecret=granted["oauth_token_secret"],
            obtainedAt=ctx.now,
        )

    def sign(self, ctx: Context, config: RequestConfig) -> RequestConfig:
        """Sign a request (HMAC-SHA1). A `before_request` hook; the last one."""
        data = ctx.auth.data
        if config.extra.get("skip_auth") or not data.get("accessToken"):
            return config
        signature = self._signature(
            ctx,
            urls.join(config.base_url, config.url, config.params),
            config.method,
            config.form,
            resource_owner_key=auth_text(data, "accessToken"),
            resource_owner_secret=auth_text(data, "accessSecret"),
        )
        config.headers["Authorization"] = signature
        return config

    async def _request_token(self, ctx: Context, template: str, **signed_with: str) -> JsonObject:
        url = urls.fill_template(template, ctx.auth.data)
        require_https(url, "tokenUrl", "token URL")
        signature = self._signature(ctx, url, "POST", None, **signed_with)
        response = await ctx.http.post(
            url, headers={"Authorization": signature}, extra={"skip_auth": True}, also_to=url
        )
        granted: JsonObject = dict(parse_qsl(response.text))
        if not (granted.get("oauth_token") and granted.get("oauth_token_secret")):
            raise ThirdPartyError(
                app=response.app,
                said="",
                status=response.status,
                meaning="The response contains no token.",
                todo="Check the token URL.",
            )
        return granted

    def _signature(
        self, ctx: Context, url: str, method: str, form: Mapping[str, Any] | None, **signed_with: str
    ) -> str:
        """The `Authorization` header."""
        from oauthlib.oauth1 import Client

        data = ctx.auth.data
        client = Client(
            auth_text(data, self.client_id_field),
            client_secret=auth_text(data, self.client_secret_field),
            timestamp=str(ctx.now // 1000),
            **{key: value for key, value in signed_with.items() if value},
        )
        body = urlencode(urls.query_pairs(form)) if form else None
        headers = {"Content-Type": _FORM_TYPE} if form else {}
        signed: tuple[str, dict[str, str], str] = client.sign(url, method, body, headers)
        return signed[1]["Authorization"]


def oauth1(
    *,
    request_token_url: str,
    authorize_url: str,
    access_token_url: str,
    authorize_params: Mapping[str, str] | None = None,
    client_id_field: str = "consumerKey",
    client_secret_field: str = "consumerSecret",
    stores: Mapping[str, str] | None = None,
) -> OAuth1:
    """Describe a service's OAuth 1.0a. Keys of fields, and `stores`, as in `oauth2`."""
    return OAuth1(
        request_token_url=request_token_url,
        authorize_url=authorize_url,
        access_token_url=access_token_url,
        authorize_params=dict(authorize_params or {}),
        client_id_field=client_id_field,
        client_secret_field=client_secret_field,
        stores=dict(stores or {}),
    )
