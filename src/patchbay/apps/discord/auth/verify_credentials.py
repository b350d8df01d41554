"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/users/@me", screen_name="{username} @ {auth.guildName}", account_id="id", sign_in=oauth
)
