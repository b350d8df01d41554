"""Checks credentials when a connection is added."""

from urllib.parse import urlsplit

from patchbay.integration import Context

from .oauth import oauth


async def verify_credentials(ctx: Context) -> None:
    """Exchange the code for tokens, and name the connection after the user and the subdomain."""
    await oauth.sign_in(ctx)
    user = (await ctx.http.get("/api/v2/users/me")).json()["user"]
    host = urlsplit(str(ctx.auth.data["instanceUrl"])).hostname or ""
    await ctx.auth.set(screenName=f"{user['name']} @ {host.partition('.')[0]}", accountId=str(user["id"]))
