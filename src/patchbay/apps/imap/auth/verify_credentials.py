from typing import TYPE_CHECKING

from patchbay.integration import Context

from ..session import signed_in

if TYPE_CHECKING:
    from imapclient import IMAPClient


async def verify_credentials(ctx: Context) -> None:
    """Sign in to the mailbox and ask what the server can do; nothing is read."""
    await signed_in(ctx, _capabilities)
    data = ctx.auth.data
    await ctx.auth.set(screenName=data.get("screenName") or data.get("username"))


def _capabilities(client: "IMAPClient") -> None:
    client.capabilities()
