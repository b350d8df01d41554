"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with("/user", account_id="data.user.id", sign_in=oauth)
