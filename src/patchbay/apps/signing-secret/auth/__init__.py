"""How a sender signs requests: the scheme decides which fields are shown."""

from patchbay.integration import Auth

from .fields import fields
from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials
from .verify_webhook import verify_webhook

auth = Auth(
    fields=fields,
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    verify_webhook=verify_webhook,
)
