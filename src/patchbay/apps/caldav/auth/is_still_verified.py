from patchbay.integration import Context

from .verify_credentials import verify_credentials


async def is_still_verified(ctx: Context) -> bool:
    """Whether the password is still accepted; raises what the server answers when it is not."""
    await verify_credentials(ctx)
    return True
