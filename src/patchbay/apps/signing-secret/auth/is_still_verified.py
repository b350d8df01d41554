"""Checks a connection's credentials again."""

from patchbay.integration import Context

from .verify_credentials import check_form


async def is_still_verified(ctx: Context) -> bool:
    """Whether the form is valid. Only a signed request can show whether the secret is the sender's."""
    await check_form(ctx)
    return True
