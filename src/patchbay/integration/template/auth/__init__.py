"""The connection: its form, and how credentials are verified."""

from patchbay.integration import Auth, api_key_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    # The inputs of the form, in order. `api_key_fields()` adds a screen name, for services that can't return
    # the owner of a key; `AuthField(key=…, label=…)` is any other input. Values of fields whose keys sound
    # like secrets are masked.
    fields=(api_key_field("Where to find the key at the service. It is stored encrypted."),),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
