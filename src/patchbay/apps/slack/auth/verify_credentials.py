"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/users.info",
    query={"user": "{auth.userId}"},
    screen_name="{user.real_name} @ {auth.teamName}",
    account_id="user.id",
    sign_in=oauth,
)
