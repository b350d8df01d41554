"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

verify_credentials = verify_with(
    "/api/laml/2010-04-01/Accounts/{auth.accountSid}", screen_name="{friendly_name} ({auth.accountSid})"
)
