"""The connection to a FreeScout server: its address, the API key, and the secret of its webhooks."""

from patchbay.integration import Auth, AuthField, api_key_field, instance_url_field, screen_name_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

instance_url = instance_url_field(
    "Instance URL",
    "https://support.example.com",
    "The address of your FreeScout, including the path if there is one.",
)

webhook_secret = AuthField(
    key="webhookSecret",
    label="Webhook secret",
    description="With it, Patchbay also checks FreeScout's signatures. It's stored encrypted.",
)

auth = Auth(
    fields=(
        screen_name_field(),
        instance_url,
        api_key_field("Find it in FreeScout under Manage → API & Webhooks. It's stored encrypted."),
        webhook_secret,
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
