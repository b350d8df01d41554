"""The sign-in: the browser returns with the token itself, after the # of the address.

Patchbay's page for returning browsers sends what follows the # to Patchbay.
"""

from hmac import compare_digest
from urllib.parse import urlencode

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.integration import Context, RequestConfig
from patchbay.integration.oauth import REDIRECT_FIELD, SIGN_IN_KEYS, BrowserSignIn
from patchbay.integration.oauth_messages import new_state
from patchbay.integration.values import text_of


class TokenSignIn(BrowserSignIn):
    """Trello's authorization page, which needs no secret of the app."""

    async def generate_auth_url(self, ctx: Context) -> None:
        """Set `url` and `state`. Trello doesn't know state, so it's a part of the address to return to."""
        state, data = new_state(), ctx.auth.data
        query = {
            "return_url": f"{text_of(data, REDIRECT_FIELD)}?{urlencode({'state': state})}",
            "scope": "read,write,account",
            "expiration": "never",
            "name": "Patchbay",
            "key": text_of(data, "apiKey"),
            "response_type": "token",
        }
        await ctx.auth.set(url=f"https://trello.com/1/authorize?{urlencode(query)}", state=state)

    async def sign_in(self, ctx: Context) -> None:
        """Keep the token that the browser brought. Does nothing if that was already done."""
        data = ctx.auth.data
        callback = data.get("callback")
        if not isinstance(callback, dict):
            if data.get("token"):
                return
            raise ValidationFailed({"general": ["Sign in to Trello in the browser first."]})
        is_own = compare_digest(text_of(callback, "state").encode(), text_of(data, "state").encode())
        if not is_own or not callback.get("token"):
            raise ThirdPartyError(
                app=ctx.app.name,
                said="",
                meaning="The sign-in was denied or cancelled, or belongs to another one.",
                todo="Sign in again.",
            )
        cleared: JsonObject = dict.fromkeys(SIGN_IN_KEYS)
        await ctx.auth.set(**cleared, token=text_of(callback, "token"), obtainedAt=ctx.now)


sign_in = TokenSignIn()


def add_credential(ctx: Context, config: RequestConfig) -> RequestConfig:
    """Add key and token to a request."""
    key, token = text_of(ctx.auth.data, "apiKey"), text_of(ctx.auth.data, "token")
    if token and not config.extra.get("skip_auth"):
        config.headers["Authorization"] = f'OAuth oauth_consumer_key="{key}", oauth_token="{token}"'
    return config
