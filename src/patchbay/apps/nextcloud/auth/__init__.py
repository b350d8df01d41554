"""The connection to a Nextcloud: its address, a user name, and an app password."""

from patchbay.integration import Auth, AuthField, instance_url_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        instance_url_field(
            "Nextcloud URL",
            "https://cloud.example.com",
            "The address of your Nextcloud, including the path if there is one.",
        ),
        AuthField(key="username", label="User name", required=True, decides_destination=False),
        AuthField(
            key="password",
            label="App password",
            required=True,
            secret=True,
            description="An app password from the security settings of Nextcloud. It's stored encrypted.",
        ),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
