"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/v2/user", at="user", screen_name="{username} @ {email}", account_id="id", sign_in=oauth
)
