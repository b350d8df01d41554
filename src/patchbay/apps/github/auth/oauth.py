"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2, revocation

oauth = oauth2(
    authorize_url="https://github.com/login/oauth/authorize",
    token_url="https://github.com/login/oauth/access_token",
    scopes=("read:org", "repo", "user"),
    scope_separator=",",
    client_id_field="consumerKey",
    client_secret_field="consumerSecret",
    revoke=revocation(
        "https://api.github.com/applications/{auth.consumerKey}/token",
        {"access_token": "{accessToken}"},
        method="DELETE",
        client_auth="basic",
        encoding="json",
    ),
)
