"""Checks a connection's credentials again."""

from patchbay.integration import Context

from .verify_credentials import check_form


async def is_still_verified(ctx: Context) -> bool:
    """Whether calls can be checked with it; only a signed call can tell whether it is the sender's."""
    await check_form(ctx)
    return True
