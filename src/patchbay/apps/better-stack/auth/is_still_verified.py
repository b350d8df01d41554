from patchbay.integration import Context

from .verify_credentials import verify_credentials


async def is_still_verified(ctx: Context) -> bool:
    """Check the token again. Raises the service's error if it is rejected."""
    await verify_credentials(ctx)
    return True
