"""The connection to a server: its address and API key."""

from patchbay.integration import Auth, AuthField, api_key_field, screen_name_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

instance_url = AuthField(
    key="instanceUrl",
    label="Instance URL",
    required=True,
    description="The URL of your instance, such as https://watch.example.com or http://127.0.0.1:5000.",
)

auth = Auth(
    fields=(
        screen_name_field(),
        instance_url,
        api_key_field("Find it in your instance under Settings → API. It's stored encrypted."),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
