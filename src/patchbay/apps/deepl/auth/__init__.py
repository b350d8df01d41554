"""The connection to DeepL: an API key of the free or the paid API, which have addresses of their own."""

from patchbay.integration import Auth, AuthField, screen_name_field

from ..addresses import FREE
from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        screen_name_field(),
        AuthField(
            key="authenticationKey",
            label="API Key",
            required=True,
            description="A key of DeepL API Free or DeepL API Pro. It's stored encrypted.",
        ),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    sends_to=(FREE,),
)
