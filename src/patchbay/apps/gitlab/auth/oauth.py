"""OAuth 2 with the addresses of the server."""

from patchbay.integration import oauth2, revocation

oauth = oauth2(
    authorize_url="{auth.instanceUrl}/oauth/authorize",
    token_url="{auth.instanceUrl}/oauth/token",
    scopes=("api", "read_user"),
    revoke=revocation("{auth.instanceUrl}/oauth/revoke"),
)
