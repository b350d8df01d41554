"""Checks credentials when a connection is added."""

from urllib.parse import urlsplit

from patchbay.integration import Context


async def verify_credentials(ctx: Context) -> None:
    """Fetch the key's user. A wrong key fails with 401."""
    user = (await ctx.http.get("/users/current.json")).json()["user"]
    host = urlsplit(str(ctx.auth.data["instanceUrl"])).hostname
    await ctx.auth.set(screenName=f"{user['login']} at {host}")
