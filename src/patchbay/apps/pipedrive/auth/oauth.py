"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2, revocation

oauth = oauth2(
    authorize_url="https://oauth.pipedrive.com/oauth/authorize",
    token_url="https://oauth.pipedrive.com/oauth/token",
    client_auth="basic",
    stores={"apiDomain": "{api_domain}"},
    pkce=False,
    revoke=revocation("https://oauth.pipedrive.com/oauth/revoke"),
)
