"""The connection to a Firefly III server: its address, and a sign-in through an OAuth client."""

from patchbay.integration import instance_url_field, oauth_auth

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

auth = oauth_auth(
    oauth,
    verify_credentials,
    is_still_verified,
    instance_url_field("Instance URL", "https://firefly.example.com", "The address of your Firefly III."),
)
