"""The connection to Pushover: the token of an application, and the key of a user or group."""

from patchbay.integration import Auth, AuthField, screen_name_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        screen_name_field(),
        AuthField(
            key="userKey",
            label="User key",
            required=True,
            description="The key of a user or a delivery group.",
        ),
        AuthField(
            key="apiToken", label="API token", required=True, description="The token of your application."
        ),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
