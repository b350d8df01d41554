"""Checks credentials when a connection is added."""

from typing import TYPE_CHECKING

from patchbay.integration import Context
from patchbay.integration.mail_server import account_id

from ..session import run_signed_in

if TYPE_CHECKING:
    from imapclient import IMAPClient


async def verify_credentials(ctx: Context) -> None:
    """Sign in to the mailbox and fetch the server's capabilities. Reads no mail."""
    await run_signed_in(ctx, _capabilities)
    data = ctx.auth.data
    name = data.get("screenName") or data.get("username") or data.get("host")
    await ctx.auth.set(screenName=name, accountId=account_id(data))


def _capabilities(client: "IMAPClient") -> None:
    client.capabilities()
