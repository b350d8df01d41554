"""The connection to PDFMonkey: an API key."""

from patchbay.integration import Auth, api_key_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(api_key_field("The API secret key under My Account. It's stored encrypted."),),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
