"""The connection to Invoice Ninja: an API token, and the address of your own server."""

from patchbay.integration import Auth, AuthField

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        AuthField(
            key="apiToken",
            label="API token",
            required=True,
            description="From Settings → Account Management → Integrations → API Tokens.",
        ),
        AuthField(
            key="instanceUrl",
            label="Instance URL",
            placeholder="https://invoices.example.com/api",
            description="Only for a server of your own: its address with /api at the end.",
        ),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    sends_to=("{auth.instanceUrl}",),
)
