"""The connection to Airbrake: the address of the API, and the auth token of a user."""

from patchbay.integration import Auth, AuthField, instance_url_field, screen_name_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

instance_url = instance_url_field(
    "Instance URL", "https://api.airbrake.io", "The address of Airbrake's API: https://api.airbrake.io."
)

auth_token = AuthField(
    key="authToken",
    label="Auth token",
    required=True,
    description="Find it in Airbrake under your picture → Profile and notifications. It's stored encrypted.",
)

auth = Auth(
    fields=(screen_name_field(), instance_url, auth_token),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
