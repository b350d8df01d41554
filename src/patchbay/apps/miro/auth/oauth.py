"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2

oauth = oauth2(
    authorize_url="https://miro.com/oauth/authorize",
    token_url="https://api.miro.com/v1/oauth/token",
    pkce=False,
)
