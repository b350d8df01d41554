"""Checks a connection's credentials again."""

from patchbay.integration import Context

from ..calls import sign_in


async def is_still_verified(ctx: Context) -> bool:
    """Sign in again. Raises Odoo's error if it rejects."""
    await sign_in(ctx)
    return True
