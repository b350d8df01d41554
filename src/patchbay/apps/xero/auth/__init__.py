"""The connection to Xero: a sign-in through an app of the user's own."""

from patchbay.integration import Auth, oauth_fields

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

auth = Auth(
    fields=oauth_fields(),
    generate_auth_url=oauth.generate_auth_url,
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    refresh_token=oauth.refresh_token,
)
