"""How one connects: the form, and how what was entered is checked."""

from patchbay.integration import Auth, api_key_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    # One input each, in this order. `api_key_fields()` adds a Screen Name, for services that cannot tell whom
    # a key belongs to; `AuthField(key=…, label=…)` is any other input. Keys that sound secret are masked.
    fields=(api_key_field("Where to find the key at the service. It is kept encrypted."),),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
