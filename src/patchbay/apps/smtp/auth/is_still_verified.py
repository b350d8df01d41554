from patchbay.integration import Context

from .verify_credentials import verify_credentials


async def is_still_verified(ctx: Context) -> bool:
    """Whether the server still lets the user in; raises what it answers when it does not."""
    await verify_credentials(ctx)
    return True
