"""Checks credentials when a connection is added."""

from patchbay.integration import Context

from ..session import log_in


async def verify_credentials(ctx: Context) -> None:
    """Log in to the web services, and name the connection after the user."""
    await log_in(ctx)
    user = (await ctx.http.get("/restapi/v1/vtiger/default/me")).json()["result"]
    await ctx.auth.set(
        screenName=f"{user.get('first_name') or ''} {user['last_name']}".strip(), accountId=str(user["id"])
    )
