"""Checks credentials when a connection is added."""

from patchbay.integration import Context
from patchbay.integration.google import google_account

from .oauth import oauth


async def verify_credentials(ctx: Context) -> None:
    """Finish the sign-in, and name the connection after the account."""
    await oauth.sign_in(ctx)
    await ctx.auth.set(**await google_account(ctx))
