"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with("/api/v1/me", screen_name="{name}", account_id="id", sign_in=oauth)
