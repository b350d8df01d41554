"""OAuth 1.0a with the addresses of the service."""

from patchbay.integration import oauth1

oauth = oauth1(
    request_token_url="https://api.x.com/oauth/request_token",
    authorize_url="https://api.x.com/oauth/authorize",
    access_token_url="https://api.x.com/oauth/access_token",
)
