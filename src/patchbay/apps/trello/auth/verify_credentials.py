"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .sign_in import sign_in

verify_credentials = verify_with(
    "/1/members/me", screen_name="{username} @ {email}", account_id="id", sign_in=sign_in
)
