"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with("/v0/meta/whoami", screen_name="{email|id}", account_id="id", sign_in=oauth)
