"""The connection to Flowers Software: user name, password, and API key."""

from patchbay.integration import Auth, AuthField, api_key_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        AuthField(key="username", label="User name", required=True, decides_destination=False),
        AuthField(key="password", label="Password", required=True),
        api_key_field(),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
