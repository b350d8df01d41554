"""OAuth 2 with the addresses of the service. Its tokens don't expire."""

from typing import Any

from patchbay.integration import Context, oauth2

oauth = oauth2(
    authorize_url="https://login.mailchimp.com/oauth2/authorize",
    token_url="https://login.mailchimp.com/oauth2/token",
    pkce=False,
)


async def read_metadata(ctx: Context) -> dict[str, Any]:
    """The account of the access token, and `dc`, the data center that its API is in."""
    response = await ctx.http.get(
        "https://login.mailchimp.com/oauth2/metadata",
        headers={"Authorization": f"OAuth {ctx.auth.data.get('accessToken')}"},
        extra={"skip_auth": True},
    )
    metadata: dict[str, Any] = response.json()
    return metadata
