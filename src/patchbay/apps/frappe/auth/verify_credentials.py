"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/api/method/frappe.integrations.oauth2.openid_profile",
    screen_name="{name|email} @ {auth.site_url}",
    account_id="sub",
    stores={"userId": "{sub}"},
    sign_in=oauth,
)
