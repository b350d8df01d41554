"""OAuth 2 with the addresses of any provider."""

from urllib.parse import parse_qsl

from patchbay.integration import Context, oauth2, revocation
from patchbay.integration.values import text_of

oauth = oauth2(
    authorize_url="{auth.authorizeUrl}",
    device_url="{auth.deviceUrl}",
    token_url="{auth.tokenUrl}",
    scopes="{auth.scopes}",
    issuer="{auth.issuer}",
    client_auth="{auth.clientAuth}",
    revoke=revocation("{auth.revokeUrl}"),
)


async def get_client_token(ctx: Context) -> None:
    """Get a token with the client ID and secret alone, with the extra parameters that were entered."""
    await oauth.get_client_token(ctx, dict(parse_qsl(text_of(ctx.auth.data, "extraParameters").strip("?& "))))
