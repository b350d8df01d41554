"""The connection to a Redmine: its address and the API key of an account."""

from patchbay.integration import Auth, api_key_field, instance_url_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

instance_url = instance_url_field(
    "Instance URL",
    "https://redmine.example.com",
    "The URL of your Redmine, including the path if there is one.",
)

auth = Auth(
    fields=(
        instance_url,
        api_key_field("Find it in Redmine under My account → API access key. It's stored encrypted."),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
