"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/api/v1/about/user", screen_name="{data.attributes.email}", account_id="data.id", sign_in=oauth
)
