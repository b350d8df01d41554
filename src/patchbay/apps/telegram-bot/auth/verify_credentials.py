"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

verify_credentials = verify_with("/getMe", at="result", screen_name="{first_name}", account_id="id")
