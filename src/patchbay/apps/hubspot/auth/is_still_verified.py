"""Checks a connection's credentials again."""

from patchbay.integration import Context

from .oauth import describe_token


async def is_still_verified(ctx: Context) -> bool:
    """Whether HubSpot still accepts the access token."""
    return (await describe_token(ctx)).get("active") is True
