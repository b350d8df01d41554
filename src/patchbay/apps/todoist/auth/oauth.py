"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2

oauth = oauth2(
    authorize_url="https://todoist.com/oauth/authorize",
    token_url="https://todoist.com/oauth/access_token",
    scopes=("data:read_write",),
    scope_separator=",",
    pkce=False,
)
