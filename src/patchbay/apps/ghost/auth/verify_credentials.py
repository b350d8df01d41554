"""Checks credentials when a connection is added."""

from patchbay.integration import Context

from .is_still_verified import is_still_verified


async def verify_credentials(ctx: Context) -> None:
    """Read what only the key can read, and name the connection after the site."""
    site = (await ctx.http.get("/ghost/api/admin/site/")).json()["site"]
    await is_still_verified(ctx)
    await ctx.auth.set(screenName=f"{site['title']} @ {site['url']}", accountId=site["url"])
