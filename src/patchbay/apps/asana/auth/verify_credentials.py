"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/1.0/users/{auth.gid}", at="data", screen_name="{name} - {email}", account_id="gid", sign_in=oauth
)
