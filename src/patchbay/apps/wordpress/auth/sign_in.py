"""The sign-in: WordPress asks for permission, and the browser returns with an application password.

WordPress has the page that creates application passwords since version 5.6.
"""

from patchbay.integration import CallbackSignIn, Context
from patchbay.integration.values import text_of

IN_BROWSER, WITH_PASSWORD = "browser", "password"
"""Values of the field `signIn`. The second is for sites that don't return to an address without https."""


class PasswordSignIn(CallbackSignIn):
    """A sign-in in the browser, or with a password that was entered."""

    async def sign_in(self, ctx: Context) -> None:
        """Store the password in the redirect. If the user entered it, only the site's address is stored."""
        if ctx.auth.data.get("signIn") == WITH_PASSWORD:
            await ctx.auth.set(siteUrl=text_of(ctx.auth.data, "instanceUrl"))
            return
        await super().sign_in(ctx)


sign_in = PasswordSignIn(
    authorize_url="{auth.instanceUrl}/wp-admin/authorize-application.php",
    return_as="success_url",
    query={"app_name": "Patchbay"},
    stores={"password": "password", "userLogin": "user_login", "siteUrl": "site_url"},
)
