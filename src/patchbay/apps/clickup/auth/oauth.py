"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2

oauth = oauth2(
    authorize_url="https://app.clickup.com/api",
    token_url="https://api.clickup.com/api/v2/oauth/token",
    token_encoding="json",
    pkce=False,
)
