"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2, revocation

oauth = oauth2(
    authorize_url="https://app.asana.com/-/oauth_authorize",
    token_url="https://app.asana.com/-/oauth_token",
    stores={"gid": "{data.gid}"},
    revoke=revocation("https://app.asana.com/-/oauth_revoke"),
)
