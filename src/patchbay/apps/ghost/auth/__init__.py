"""The connection to Ghost: the address of the site, and the admin key of an integration."""

from patchbay.integration import Auth, AuthField

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        AuthField(
            key="instanceUrl",
            label="Instance URL",
            required=True,
            description="The API URL that the integration shows, such as https://example.ghost.io.",
        ),
        AuthField(
            key="apiKey",
            label="Admin API key",
            required=True,
            description="The Admin API key of the integration, with its colon. It's stored encrypted.",
        ),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
