"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

verify_credentials = verify_with(
    "/_matrix/client/v3/account/whoami",
    screen_name="{user_id}",
    account_id="user_id",
    stores={"userId": "{user_id}"},
)
