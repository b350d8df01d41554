"""The connection to a Paperless-ngx: its address and the API token of a user."""

from patchbay.integration import Auth, api_key_field, instance_url_field, screen_name_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        screen_name_field(),
        instance_url_field(
            "Paperless-ngx URL",
            "https://paperless.example.com",
            "The address of your Paperless-ngx, including the path if there is one.",
        ),
        api_key_field("The API token from your Paperless-ngx profile. It's stored encrypted."),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
