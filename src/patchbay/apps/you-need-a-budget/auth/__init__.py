"""The connection to YNAB: a sign-in through an application of the user's own."""

from patchbay.integration import oauth_auth, screen_name_field

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

auth = oauth_auth(oauth, verify_credentials, is_still_verified, screen_name_field())
