"""The connection to YNAB: a sign-in through an application of the user's own."""

from patchbay.integration import Auth, oauth_fields, screen_name_field

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

_redirect, _client_id, _client_secret = oauth_fields()

auth = Auth(
    fields=(_redirect, screen_name_field(), _client_id, _client_secret),
    generate_auth_url=oauth.generate_auth_url,
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    refresh_token=oauth.refresh_token,
)
