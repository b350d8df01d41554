"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/api/v4/user",
    screen_name="{username} @ {auth.instanceUrl}",
    account_id="id",
    stores={"userId": "{id}"},
    sign_in=oauth,
)
