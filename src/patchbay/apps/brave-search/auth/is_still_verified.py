"""Checks a connection's credentials again."""

from patchbay.integration import Context

from .verify_credentials import verify_credentials


async def is_still_verified(ctx: Context) -> bool:
    """Search again. Raises Brave's error if the key is rejected."""
    await verify_credentials(ctx)
    return True
