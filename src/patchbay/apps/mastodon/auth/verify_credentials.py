"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

verify_credentials = verify_with(
    "/api/v1/accounts/verify_credentials", screen_name="@{acct} @ {auth.instanceUrl}", account_id="id"
)
