"""Checks a connection's credentials again."""

from patchbay.integration import Context

from .verify_credentials import verify_credentials


async def is_still_verified(ctx: Context) -> bool:
    """Check the token again. Raises Gotify's error if it is rejected."""
    await verify_credentials(ctx)
    return True
