"""OAuth 2 with the addresses of the server. Firefly III has no scopes."""

from patchbay.integration import oauth2

oauth = oauth2(
    authorize_url="{auth.instanceUrl}/oauth/authorize",
    token_url="{auth.instanceUrl}/oauth/token",
)
