"""Checks credentials when a connection is added."""

from patchbay.integration import Context
from patchbay.integration.values import text_of

from ..calls import sign_in


async def verify_credentials(ctx: Context) -> None:
    """Sign in. The connection is named after the account, the database, and the server."""
    account = await sign_in(ctx)
    data = ctx.auth.data
    email, database, host = (text_of(data, name).strip() for name in ("email", "databaseName", "host"))
    await ctx.auth.set(screenName=f"{email} @ {database} - {host}", accountId=f"{host}/{database}/{account}")
