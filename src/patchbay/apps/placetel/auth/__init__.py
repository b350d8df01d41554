"""The connection to Placetel: an API token."""

from patchbay.integration import Auth, AuthField

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        AuthField(key="apiToken", label="API token", required=True, description="It's stored encrypted."),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
