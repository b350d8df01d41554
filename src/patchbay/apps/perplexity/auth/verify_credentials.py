"""Checks credentials when a connection is added."""

from patchbay.integration import Context

_NO_RESPONSE = "/v1/responses/resp_00000000-0000-0000-0000-000000000000"
_KEY_IS_VALID = (400, 404)


async def verify_credentials(ctx: Context) -> None:
    """Look up a response that doesn't exist, which costs nothing. With an invalid key, it fails with 401."""
    response = await ctx.http.get(_NO_RESPONSE, accepts=lambda status: status in _KEY_IS_VALID)
    response.json()
    await ctx.auth.set(screenName=ctx.auth.data["screenName"])
