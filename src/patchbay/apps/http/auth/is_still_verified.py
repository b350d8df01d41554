"""Checks a connection's credentials again."""

from patchbay.integration import Context

from .verify_credentials import check_address


async def is_still_verified(ctx: Context) -> bool:
    """Request the test URL again. Raises the service's error if it is rejected."""
    await ctx.http.get(check_address(ctx))
    return True
