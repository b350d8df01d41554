from patchbay.integration import Context

from .verify_credentials import verify_credentials


async def is_still_verified(ctx: Context) -> bool:
    """What "Test" does: the same question again. Raises what the service answers when it says no."""
    await verify_credentials(ctx)
    return True
