"""The connection to ntfy: a server and, for protected topics, an account."""

from patchbay.integration import Auth, AuthField

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        AuthField(
            key="serverUrl",
            label="Server URL",
            required=True,
            value="https://ntfy.sh",
            description="Change it if you use your own server.",
        ),
        AuthField(
            key="username",
            label="User name",
            decides_destination=False,
            description="Only needed for protected topics. Leave it empty to use an access token.",
        ),
        AuthField(
            key="password",
            label="Password",
            description="The password or an access token. It's stored encrypted.",
        ),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
