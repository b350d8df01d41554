"""Renews the token of a connection."""

from patchbay.integration import Context

from .login import log_in
from .oauth import get_client_token, oauth


async def refresh_token(ctx: Context) -> None:
    """Get a new token in the way of the credential type. Does nothing for types without tokens."""
    kind = ctx.auth.data.get("kind")
    if kind == "clientCredentials":
        await get_client_token(ctx)
    elif kind == "login":
        await log_in(ctx)
    else:
        await oauth.refresh_token(ctx)
