from patchbay.integration import Context
from patchbay.integration.sql import Statement, login_of

from ..session import connected

_WHO = "SELECT current_setting('server_version') AS version, current_user AS user_name"


async def verify_credentials(ctx: Context) -> None:
    """Log in and ask the server who we are and which version it is."""
    async with connected(ctx) as session:
        told = ((await session.run(Statement(_WHO))).rows or ({},))[0]
    name = ctx.auth.data.get("screenName") or login_of(ctx.auth.data).label
    await ctx.auth.set(screenName=name, version=told.get("version"))
