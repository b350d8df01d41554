"""Checks credentials when a connection is added."""

from patchbay.domain.errors import ThirdPartyError
from patchbay.integration import Context

_UNPROCESSABLE = 422


async def verify_credentials(ctx: Context) -> None:
    """Search for a word. Brave has no other request that checks a key."""
    try:
        (await ctx.http.get("/v1/web/search", params={"q": "brave", "count": 1})).json()
    except ThirdPartyError as error:
        if error.status == _UNPROCESSABLE and "token" in error.said.lower():
            error.rejects_credentials = True
            error.meaning = "The service rejected the API key."
            error.todo = "Copy the key again from Brave's dashboard."
        raise
    await ctx.auth.set(screenName=ctx.auth.data["screenName"])
