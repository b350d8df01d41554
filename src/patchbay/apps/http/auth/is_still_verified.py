from patchbay.integration import Context

from .verify_credentials import check_address


async def is_still_verified(ctx: Context) -> bool:
    """Whether the page to check with still answers; raises what the service says when it does not."""
    await ctx.http.get(check_address(ctx))
    return True
