"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/services/data/v55.0/chatter/users/me",
    screen_name="{displayName} - {auth.instanceUrl}",
    account_id="id",
    stores={"userId": "{id}"},
    sign_in=oauth,
)
