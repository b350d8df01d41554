"""The connection to a Redmine: its address and the API key of an account."""

from patchbay.integration import Auth, AuthField, api_key_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

instance_url = AuthField(
    key="instanceUrl",
    label="Instance URL",
    required=True,
    placeholder="https://redmine.example.com",
    description="The URL of your Redmine, including the path if there is one.",
)

auth = Auth(
    fields=(
        instance_url,
        api_key_field("Find it in Redmine under My account → API access key. It's stored encrypted."),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
