"""Checks credentials when a connection is added."""

from patchbay.domain.errors import ThirdPartyError
from patchbay.integration import Context
from patchbay.integration.values import text_of

from ..tokens import get_as_client

BAD_REQUEST = 400


async def verify_credentials(ctx: Context) -> None:
    """Post an empty message, which Gotify rejects as such only after it has accepted the token.

    The token of an application can do nothing else than send messages. That of a client is checked if there
    is one.
    """
    response = await ctx.http.post("/message", json={}, accepts=lambda status: status == BAD_REQUEST)
    if response.status != BAD_REQUEST or "errorCode" not in response.json():
        raise ThirdPartyError(
            app=ctx.app.name,
            said="",
            status=response.status,
            meaning="The response isn't that of a Gotify server.",
            todo="Check the Gotify URL.",
        )
    if text_of(ctx.auth.data, "clientToken"):
        await get_as_client(ctx, "/message", limit=1)
    await ctx.auth.set(screenName=ctx.auth.data["screenName"])
