"""The connection to a Home Assistant: its address and a long-lived access token."""

from patchbay.integration import Auth, api_key_field, instance_url_field, screen_name_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        screen_name_field(),
        instance_url_field(
            "Home Assistant URL",
            "http://homeassistant.local:8123",
            "The address at which you open Home Assistant in the browser, with the port.",
        ),
        api_key_field("A long-lived access token from your Home Assistant profile. It's stored encrypted."),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
