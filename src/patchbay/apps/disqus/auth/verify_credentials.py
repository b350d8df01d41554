"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/3.0/users/details.json", at="response", screen_name="{username}", account_id="id", sign_in=oauth
)
