"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2, revocation

oauth = oauth2(
    authorize_url="https://login.xero.com/identity/connect/authorize",
    token_url="https://identity.xero.com/connect/token",
    scopes=(
        "offline_access",
        "openid",
        "profile",
        "email",
        "accounting.banktransactions",
        "accounting.payments",
        "accounting.settings",
    ),
    client_auth="basic",
    pkce=False,
    revoke=revocation("https://identity.xero.com/connect/revocation"),
)
