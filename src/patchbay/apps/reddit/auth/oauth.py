"""OAuth 2 with the addresses of the service. Only a permanent sign-in has a refresh token."""

from patchbay.integration import oauth2, revocation

oauth = oauth2(
    authorize_url="https://www.reddit.com/api/v1/authorize",
    token_url="https://www.reddit.com/api/v1/access_token",
    scopes=("identity", "read", "account", "submit"),
    authorize_params={"duration": "permanent"},
    client_auth="basic",
    pkce=False,
    revoke=revocation("https://www.reddit.com/api/v1/revoke_token"),
)
