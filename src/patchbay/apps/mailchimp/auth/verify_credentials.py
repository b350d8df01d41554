"""Checks credentials when a connection is added."""

import re

from patchbay.domain.errors import ThirdPartyError
from patchbay.integration import Context

from .oauth import oauth, read_metadata


async def verify_credentials(ctx: Context) -> None:
    """Exchange the code for a token, and find the data center, which is part of the API's address."""
    await oauth.sign_in(ctx)
    metadata = await read_metadata(ctx)
    data_center = str(metadata.get("dc", ""))
    if not re.fullmatch(r"[a-z]+\d+", data_center):
        raise ThirdPartyError(
            app="Mailchimp", said="", meaning="The response names no data center.", todo="Sign in again."
        )
    await ctx.auth.set(
        serverPrefix=data_center,
        screenName=str(metadata["login"]["login_name"]),
        accountId=str(metadata["login"]["login_id"]),
    )
