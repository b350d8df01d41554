"""Checks credentials when a connection is added."""

from patchbay.integration import Context
from patchbay.integration.sql import Statement, parse_login

from ..session import open_session

_WHO = "SELECT VERSION() AS version, CURRENT_USER() AS user_name"


async def verify_credentials(ctx: Context) -> None:
    """Sign in and fetch the user and the server's version."""
    async with open_session(ctx) as session:
        row = ((await session.run(Statement(_WHO))).rows or ({},))[0]
    name = ctx.auth.data.get("screenName") or parse_login(ctx.auth.data).label
    await ctx.auth.set(screenName=name, version=row.get("version"))
