"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2, revocation

oauth = oauth2(
    authorize_url="https://www.dropbox.com/oauth2/authorize",
    token_url="https://api.dropboxapi.com/oauth2/token",
    scopes=("account_info.read", "files.metadata.read", "files.content.write", "files.content.read"),
    authorize_params={"token_access_type": "offline"},
    revoke=revocation("https://api.dropboxapi.com/2/auth/token/revoke", {}, client_auth="token"),
)
