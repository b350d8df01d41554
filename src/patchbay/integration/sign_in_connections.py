"""Connections with a sign-in in the browser: OAuth, and services whose redirect contains the credential."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import Any
from urllib.parse import urlencode

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.domain.fields import AuthField
from patchbay.integration.app_definition import Auth, ContextFunction
from patchbay.integration.context import Context
from patchbay.integration.oauth import REDIRECT_FIELD, SIGN_IN_KEYS, BrowserSignIn, OAuth2, oauth_fields
from patchbay.integration.oauth1 import OAuth1
from patchbay.integration.oauth_messages import new_state, require_https
from patchbay.integration.templates import fill_text
from patchbay.integration.urls import fill_template
from patchbay.integration.values import text_of


def oauth_auth(
    oauth: OAuth2 | OAuth1,
    verify_credentials: ContextFunction,
    is_still_verified: Callable[[Context], Awaitable[bool]],
    *fields: AuthField,
    client_id_label: str = "Client ID",
    client_secret_label: str = "Client secret",
    renews: bool = True,
    **more: Any,
) -> Auth:
    """The connection of an app with `oauth2(…)` or `oauth1(…)`.

    `fields` are shown between the redirect URL and the client's ID and secret, such as the address of the
    server. `renews=False` for services whose tokens don't expire. `more`: further properties of `Auth`.
    """
    redirect, client_id, client_secret = oauth_fields(
        client_id=oauth.client_id_field,
        client_secret=oauth.client_secret_field,
        client_id_label=client_id_label,
        client_secret_label=client_secret_label,
    )
    return Auth(
        fields=(redirect, *fields, client_id, client_secret),
        generate_auth_url=oauth.generate_auth_url,
        verify_credentials=verify_credentials,
        is_still_verified=is_still_verified,
        refresh_token=oauth.refresh_token if isinstance(oauth, OAuth2) and renews else None,
        **more,
    )


@dataclass(frozen=True, kw_only=True)
class CallbackSignIn(BrowserSignIn):
    """A sign-in whose redirect contains the credential itself, instead of a code to exchange.

    These services don't support `state`, so it's part of the redirect URL, which is sent to them as the
    parameter `return_as`. `query` has further parameters: templates such as `{auth.apiKey}`. `stores` maps
    keys of the auth data to parameters of the redirect, the credential first. `address_field` is the auth
    field in which the user enters the service's address.
    """

    authorize_url: str
    return_as: str
    query: Mapping[str, str] = field(default_factory=dict)
    stores: Mapping[str, str]
    address_field: str = "instanceUrl"

    @property
    def address_templates(self) -> tuple[str, ...]:
        """Where the browser is sent."""
        return (self.authorize_url,)

    async def generate_auth_url(self, ctx: Context) -> None:
        """Set `url` and `state` in the auth data."""
        state, data = new_state(), ctx.auth.data
        address = fill_template(self.authorize_url, data)
        require_https(address, self.address_field, "address")
        query = {key: fill_text(template, {"auth": data}) for key, template in self.query.items()}
        query[self.return_as] = f"{text_of(data, REDIRECT_FIELD)}?{urlencode({'state': state})}"
        await ctx.auth.set(url=f"{address}?{urlencode(query)}", state=state)

    async def sign_in(self, ctx: Context) -> None:
        """Store the values in the redirect. Does nothing if that was already done."""
        data, (credential, name) = ctx.auth.data, next(iter(self.stores.items()))
        callback = data.get("callback")
        if not isinstance(callback, dict):
            if data.get(credential):
                return
            raise ValidationFailed({"general": [f"Sign in to {ctx.app.name} in the browser first."]})
        is_own = compare_digest(text_of(callback, "state").encode(), text_of(data, "state").encode())
        if not is_own or not callback.get(name):
            raise ThirdPartyError(
                app=ctx.app.name,
                said="",
                meaning="The sign-in was denied or cancelled, or the response belongs to another sign-in.",
                todo="Sign in again.",
            )
        cleared: JsonObject = dict.fromkeys(SIGN_IN_KEYS)
        received = {key: text_of(callback, sent) for key, sent in self.stores.items()}
        await ctx.auth.set(**cleared, **received, obtainedAt=ctx.now)
