"""The connection to Invoice Ninja: an API token, and the address of one's own server."""

from patchbay.integration import Auth, AuthField

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

<<<<<<< HEAD
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
            label="API address",
            value="https://invoicing.co/api",
            description="For a server of your own: its address with /api, "
            "such as https://invoices.example.com/api.",
        ),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
=======
api_token = AuthField(
    key="apiToken",
    label="API token",
    required=True,
    description="Create it under Settings → Account Management → API Tokens. It's stored encrypted.",
)

instance_url = AuthField(
    key="instanceUrl",
    label="Instance URL",
    placeholder="https://invoices.example.com/api",
    description="Only for your own server: its address with /api at the end.",
)

auth = Auth(
    fields=(api_token, instance_url),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    sends_to=("{auth.instanceUrl}",),
>>>>>>> 8e02fb7d (apps/invoice-ninja: clients, invoices, payments, and products)
)
