"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

verify_credentials = verify_with(
    "/2010-04-01/Accounts.json", query={"PageSize": 1}, screen_name="{auth.accountSid}"
)
