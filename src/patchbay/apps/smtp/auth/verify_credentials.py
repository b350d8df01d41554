"""Checks credentials when a connection is added."""

from patchbay.integration import Context
from patchbay.integration.mail_server import account_id

from ..session import session


async def verify_credentials(ctx: Context) -> None:
    """Connect, encrypt, and sign in as for sending. Sends no message."""
    async with session(ctx) as server:
        await server.client.noop()
    data = ctx.auth.data
    name = data.get("screenName") or data.get("username") or data.get("host")
    await ctx.auth.set(screenName=name, accountId=account_id(data))
