"""The connection to Miro: a sign-in through an app of the user's own team."""

from patchbay.integration import oauth_auth

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

auth = oauth_auth(oauth, verify_credentials, is_still_verified)
