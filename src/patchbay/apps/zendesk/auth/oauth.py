"""OAuth 2 with the addresses of the service.

If no times are requested, clients from before April 30, 2026, get tokens without an end and without renewal,
which Zendesk ends on April 1, 2027. Others get 30 minutes, and 30 days to renew them.
"""

from patchbay.integration import oauth2, revocation

_DAY = 24 * 60 * 60
_LONGEST = {"expires_in": 2 * _DAY, "refresh_token_expires_in": 90 * _DAY}
"""The most that Zendesk allows, in seconds."""

oauth = oauth2(
    authorize_url="{auth.instanceUrl}/oauth/authorizations/new",
    token_url="{auth.instanceUrl}/oauth/tokens",
    scopes=("read", "write"),
    token_encoding="json",
    token_params={"scope": "read write", **_LONGEST},
    revoke=revocation(
        "{auth.instanceUrl}/api/v2/oauth/tokens/current.json", {}, method="DELETE", client_auth="token"
    ),
)
