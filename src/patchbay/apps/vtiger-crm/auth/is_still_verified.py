"""Checks a connection's credentials again."""

from patchbay.integration import Context

from ..session import log_in


async def is_still_verified(ctx: Context) -> bool:
    """Whether Vtiger accepts user name and access key in both APIs; if not, this raises."""
    await log_in(ctx)
    return "result" in (await ctx.http.get("/restapi/v1/vtiger/default/me")).json()
