"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/connections",
    at="0",
    screen_name="{tenantName} @ {tenantType}",
    account_id="tenantId",
    stores={"tenantId": "{tenantId}"},
    sign_in=oauth,
)
