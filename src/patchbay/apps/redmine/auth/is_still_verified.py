"""Checks a connection's credentials again."""

from patchbay.integration import Context

from .verify_credentials import verify_credentials


async def is_still_verified(ctx: Context) -> bool:
    """Whether the key is still accepted; raises what Redmine answers when it is not."""
    await verify_credentials(ctx)
    return True
