"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/2/users/me",
    at="data",
    screen_name="{username}",
    account_id="id",
    stores={"userId": "{id}"},
    sign_in=oauth,
)
