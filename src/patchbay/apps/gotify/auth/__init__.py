"""The connection to a Gotify: its address and the tokens of an application and a client."""

from patchbay.integration import Auth, AuthField, api_key_field, instance_url_field, screen_name_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        screen_name_field(),
        instance_url_field(
            "Gotify URL",
            "https://gotify.example.com",
            "The address of your Gotify, including the path if there is one.",
        ),
        api_key_field("The token of an application in Gotify, which sends messages. It's stored encrypted."),
        AuthField(
            key="clientToken",
            label="Client token",
            secret=True,
            description="Only for flows that start with a new message: the token of a client in Gotify. It's "
            "stored encrypted.",
        ),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
