"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2

oauth = oauth2(
    authorize_url="https://github.com/login/oauth/authorize",
    token_url="https://github.com/login/oauth/access_token",
    scopes=("read:org", "repo", "user"),
    scope_separator=",",
    client_id_field="consumerKey",
    client_secret_field="consumerSecret",
)
