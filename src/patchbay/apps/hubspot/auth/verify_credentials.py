"""Checks credentials when a connection is added."""

from patchbay.integration import Context

from .oauth import describe_token, oauth


async def verify_credentials(ctx: Context) -> None:
    """Exchange the code for tokens, and name the connection after the user, or at least the account."""
    await oauth.sign_in(ctx)
    token = await describe_token(ctx)
    hub_id = str(token["hub_id"])
    name = token.get("user") or token.get("hub_domain") or hub_id
    await ctx.auth.set(screenName=str(name), accountId=hub_id)
