"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/v1/me", screen_name="{display_name|id}", account_id="id", stores={"userId": "{id}"}, sign_in=oauth
)
