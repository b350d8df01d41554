"""OAuth 2 with the addresses of the server. Without scopes, Gitea grants access to the whole account."""

from patchbay.integration import oauth2

oauth = oauth2(
    authorize_url="{auth.instanceUrl}/login/oauth/authorize",
    token_url="{auth.instanceUrl}/login/oauth/access_token",
)
