"""The connection to YouTube: a sign-in with Google through an OAuth client of the user's own."""

from patchbay.integration.google import google_auth

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

auth = google_auth(oauth, verify_credentials, is_still_verified)
