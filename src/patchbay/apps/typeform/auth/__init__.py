"""The connection to Typeform: a sign-in through an app of the user's own."""

from patchbay.integration import oauth_auth

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

auth = oauth_auth(oauth, verify_credentials, is_still_verified)
