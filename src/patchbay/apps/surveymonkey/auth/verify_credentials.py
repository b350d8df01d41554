"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/v3/users/me", screen_name="{username} @ {email}", account_id="id", sign_in=oauth
)
