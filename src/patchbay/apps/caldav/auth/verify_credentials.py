"""Checks credentials when a connection is added."""

from urllib.parse import urlsplit

from patchbay.integration import Context

from ..discovery import discover_account


async def verify_credentials(ctx: Context) -> None:
    """Fetch the user and calendar home from the server. A wrong password fails with 401."""
    account = await discover_account(ctx)
    name = account.name or ctx.auth.data["username"]
    host = urlsplit(ctx.http.base_url).hostname
    await ctx.auth.set(screenName=f"{name} at {host}", calendarHome=account.home)
