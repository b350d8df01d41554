"""Checks a connection's credentials again."""

from patchbay.integration import Context

from .verify_credentials import verify_credentials


async def is_still_verified(ctx: Context) -> bool:
    """Sign in again. Raises the server's error if it rejects the user."""
    await verify_credentials(ctx)
    return True
