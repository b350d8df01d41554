"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with("/me", screen_name="{alias}", account_id="user_id", sign_in=oauth)
