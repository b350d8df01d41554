"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2, revocation

oauth = oauth2(
    authorize_url="https://www.strava.com/oauth/authorize",
    token_url="https://www.strava.com/api/v3/oauth/token",
    scopes=("read_all", "profile:read_all", "activity:read_all", "activity:write"),
    scope_separator=",",
    authorize_params={"approval_prompt": "force"},
    pkce=False,
    revoke=revocation(
        "https://www.strava.com/oauth/deauthorize", {"access_token": "{accessToken}"}, client_auth="token"
    ),
)
