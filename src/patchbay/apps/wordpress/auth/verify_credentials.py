"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .sign_in import sign_in

verify_credentials = verify_with(
    "/?rest_route=/wp/v2/settings", screen_name="{auth.userLogin} @ {auth.siteUrl}", sign_in=sign_in
)
