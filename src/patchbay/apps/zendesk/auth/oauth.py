"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2, revocation

oauth = oauth2(
    authorize_url="{auth.instanceUrl}/oauth/authorizations/new",
    token_url="{auth.instanceUrl}/oauth/tokens",
    scopes=("read", "write"),
    token_encoding="json",
    token_params={"scope": "read write"},
    revoke=revocation(
        "{auth.instanceUrl}/api/v2/oauth/tokens/current.json", {}, method="DELETE", client_auth="token"
    ),
)
