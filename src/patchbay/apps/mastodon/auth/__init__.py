"""The connection to a Mastodon server: its address and the access token of an application."""

from patchbay.integration import Auth, api_key_field, instance_url_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        instance_url_field(
            "Server URL", "https://mastodon.social", "The address of the server that your account is on."
        ),
        api_key_field("The access token of your application. It's stored encrypted."),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
