"""The connection to any service: the credential type decides which fields are shown."""

from patchbay.integration import Auth

from .fields import IN_BROWSER, fields
from .is_still_verified import is_still_verified
from .oauth import oauth
from .refresh_token import refresh_token
from .verify_credentials import verify_credentials

auth = Auth(
    fields=fields,
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    generate_auth_url=oauth.generate_auth_url,
    refresh_token=refresh_token,
    sends_to=("{auth.baseUrl}",),
    browser_if={"kind": list(IN_BROWSER)},
)
