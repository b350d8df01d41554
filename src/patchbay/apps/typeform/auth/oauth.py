"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2

_SCOPES = (
    "forms:read",
    "forms:write",
    "webhooks:read",
    "webhooks:write",
    "responses:read",
    "accounts:read",
    "workspaces:read",
    "offline",
)

oauth = oauth2(
    authorize_url="https://api.typeform.com/oauth/authorize",
    token_url="https://api.typeform.com/oauth/token",
    scopes=_SCOPES,
    token_params={"scope": " ".join(_SCOPES)},
    pkce=False,
)
