"""The connection to Twilio: the SID and the auth token of an account."""

from patchbay.integration import Auth, AuthField

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        AuthField(
            key="accountSid",
            label="Account SID",
            required=True,
            placeholder="AC…",
            decides_destination=False,
        ),
        AuthField(key="authToken", label="Auth token", required=True, description="It's stored encrypted."),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
