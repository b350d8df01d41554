"""The connection to LibreTranslate: an own instance or libretranslate.com, and an API key if needed."""

from patchbay.integration import Auth, AuthField, screen_name_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        screen_name_field(),
        AuthField(
            key="instanceUrl",
            label="Instance URL",
            placeholder="https://libretranslate.com",
            description="The address of your own instance. Leave empty for libretranslate.com.",
        ),
        AuthField(
            key="apiKey",
            label="API Key",
            description="Needed for libretranslate.com and for some instances. It's stored encrypted.",
        ),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    sends_to=("{auth.instanceUrl}",),
)
