"""Checks credentials when a connection is added."""

from patchbay.integration import Context
from patchbay.integration.paging import rows_of
from patchbay.integration.templates import find_value


async def verify_credentials(ctx: Context) -> None:
    """Name the connection after the call centers that the key is for."""
    centers = rows_of(await ctx.http.get("/v2/call_centers"), "data")
    names = [str(name) for center in centers if (name := find_value(center, "attributes.name"))]
    await ctx.auth.set(screenName=" - ".join(names) or "VirtualQ")
