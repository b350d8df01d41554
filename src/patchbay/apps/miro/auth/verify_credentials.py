"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/v1/oauth-token", screen_name="{user.name}", account_id="user.id", sign_in=oauth
)
