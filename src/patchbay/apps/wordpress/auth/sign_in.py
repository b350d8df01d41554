"""The sign-in: WordPress asks for permission, and the browser returns with an application password."""

from hmac import compare_digest
from urllib.parse import urlencode

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.integration import Context
from patchbay.integration.oauth import REDIRECT_FIELD, SIGN_IN_KEYS, BrowserSignIn
from patchbay.integration.oauth_messages import new_state, require_https
from patchbay.integration.urls import fill_template
from patchbay.integration.values import text_of

IN_BROWSER, WITH_PASSWORD = "browser", "password"
"""How the connection is made; the second is for sites that don't return to an address without https."""
_AUTHORIZE_URL = "{auth.instanceUrl}/wp-admin/authorize-application.php"


class PasswordSignIn(BrowserSignIn):
    """The page on which WordPress creates application passwords (since version 5.6)."""

    @property
    def address_templates(self) -> tuple[str, ...]:
        """Where the browser is sent."""
        return (_AUTHORIZE_URL,)

    async def generate_auth_url(self, ctx: Context) -> None:
        """Set `url` and `state`. WordPress knows no state, so it's a part of the address to return to."""
        state, address = new_state(), fill_template(_AUTHORIZE_URL, ctx.auth.data)
        require_https(address, "instanceUrl", "site URL")
        query = {
            "app_name": "Patchbay",
            "success_url": f"{text_of(ctx.auth.data, REDIRECT_FIELD)}?{urlencode({'state': state})}",
        }
        await ctx.auth.set(url=f"{address}?{urlencode(query)}", state=state)

    async def sign_in(self, ctx: Context) -> None:
        """Keep the password that the browser brought. Does nothing if that was done, or if it was entered."""
        data = ctx.auth.data
        if data.get("signIn") == WITH_PASSWORD:
            await ctx.auth.set(siteUrl=text_of(data, "instanceUrl"))
            return
        callback = data.get("callback")
        if not isinstance(callback, dict):
            if data.get("password"):
                return
            raise ValidationFailed({"general": ["Sign in to WordPress in the browser first."]})
        is_own = compare_digest(text_of(callback, "state").encode(), text_of(data, "state").encode())
        if not is_own or not callback.get("password"):
            raise ThirdPartyError(
                app=ctx.app.name,
                said="",
                meaning="The sign-in was denied or cancelled, or belongs to another one.",
                todo="Sign in again.",
            )
        cleared: JsonObject = dict.fromkeys(SIGN_IN_KEYS)
        await ctx.auth.set(
            **cleared,
            userLogin=text_of(callback, "user_login"),
            password=text_of(callback, "password"),
            siteUrl=text_of(callback, "site_url"),
        )


sign_in = PasswordSignIn()
