"""Checks credentials when a connection is added."""

from patchbay.integration import Context


async def verify_credentials(ctx: Context) -> None:
    """Send a request that only succeeds with valid credentials, preferably for their owner.

    `ctx.http` raises error responses, and Patchbay shows the service's message. The screen name becomes the
    name of the connection; it must be set.
    """
    account = (await ctx.http.get("/me")).json()
    await ctx.auth.set(screenName=account["name"])
