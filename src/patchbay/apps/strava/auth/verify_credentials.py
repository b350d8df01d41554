"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/v3/athlete",
    screen_name="{firstname} {lastname}",
    account_id="id",
    stores={"athleteId": "{id}"},
    sign_in=oauth,
)
