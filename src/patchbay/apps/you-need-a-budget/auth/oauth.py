"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2

oauth = oauth2(
    authorize_url="https://app.ynab.com/oauth/authorize",
    token_url="https://app.ynab.com/oauth/token",
    pkce=False,
)
