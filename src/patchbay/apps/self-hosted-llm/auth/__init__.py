"""The connection to a server of the user's own: its address, and its API key if it has one."""

from patchbay.integration import Auth, AuthField, screen_name_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        screen_name_field(),
        AuthField(
            key="apiUrl",
            label="API URL",
            required=True,
            placeholder="http://localhost:11434",
            description="The address of the server, with or without /v1 at the end.",
        ),
        AuthField(
            key="apiKey",
            label="API Key",
            description="Leave empty if the server needs none. It's stored encrypted.",
        ),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
