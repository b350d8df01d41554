"""The connection to Zendesk: a sign-in through an OAuth client of the user's own."""

from patchbay.integration import instance_url_field, oauth_auth

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

auth = oauth_auth(
    oauth,
    verify_credentials,
    is_still_verified,
    instance_url_field("Zendesk URL", "https://example.zendesk.com", "The address of your Zendesk."),
)
