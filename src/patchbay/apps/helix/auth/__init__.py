"""The connection to Helix: an API key, and the address of an own instance."""

from patchbay.integration import Auth, AuthField, api_key_field, screen_name_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        screen_name_field(),
        AuthField(
            key="instanceUrl",
            label="Instance URL",
            value="https://app.tryhelix.ai",
            description="The address of your Helix server. Don't change it for Helix Cloud.",
        ),
        api_key_field("Find it on your Account page in Helix. It's stored encrypted."),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    sends_to=("{auth.instanceUrl}",),
)
