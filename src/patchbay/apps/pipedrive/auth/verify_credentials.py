"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/api/v1/users/me",
    at="data",
    screen_name="{name} @ {company_domain}",
    account_id="id",
    stores={"userId": "{id}"},
    sign_in=oauth,
)
