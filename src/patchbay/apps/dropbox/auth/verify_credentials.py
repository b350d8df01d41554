"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "POST /2/users/get_current_account",
    screen_name="{name.display_name} - {email}",
    account_id="account_id",
    sign_in=oauth,
)
