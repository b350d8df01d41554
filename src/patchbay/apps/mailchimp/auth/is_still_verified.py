"""Checks a connection's credentials again."""

from patchbay.integration import Context

from .oauth import read_metadata


async def is_still_verified(ctx: Context) -> bool:
    """Whether Mailchimp still accepts the token; if not, this raises."""
    return "dc" in await read_metadata(ctx)
