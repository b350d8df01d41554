"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

verify_credentials = verify_with(
    "/v1/current_user", at="current_user", screen_name="{desired_name} @ {email}", account_id="id"
)
