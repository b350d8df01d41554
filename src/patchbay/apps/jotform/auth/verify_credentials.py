"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

verify_credentials = verify_with("/user", at="content", screen_name="{name|username}", account_id="username")
