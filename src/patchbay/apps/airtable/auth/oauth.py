"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2

oauth = oauth2(
    authorize_url="https://airtable.com/oauth2/v1/authorize",
    token_url="https://airtable.com/oauth2/v1/token",
    scopes=(
        "data.records:read",
        "data.records:write",
        "data.recordComments:read",
        "data.recordComments:write",
        "schema.bases:read",
        "schema.bases:write",
        "user.email:read",
        "webhook:manage",
    ),
    client_auth="basic",
)
