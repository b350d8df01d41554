"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/user",
    screen_name="{login|username} @ {email}",
    account_id="id",
    stores={"repoOwner": "{login|username}"},
    sign_in=oauth,
)
