"""Checks a connection's credentials again."""

from patchbay.integration import Context

from .verify_credentials import verify_credentials


async def is_still_verified(ctx: Context) -> bool:
    """Send the same request again. Raises the service's error if it rejects the credentials."""
    await verify_credentials(ctx)
    return True
