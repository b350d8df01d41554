"""The connection to a Matrix homeserver: its address and the access token of an account."""

from patchbay.integration import Auth, AuthField, api_key_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        AuthField(
            key="instanceUrl",
            label="Homeserver URL",
            required=True,
            value="https://matrix.org",
            description="The address of the server's API, such as https://matrix.example.com.",
        ),
        api_key_field("The access token of the account. It's stored encrypted."),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
