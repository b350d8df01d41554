"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/rest",
    query={"method": "flickr.test.login", "format": "json", "nojsoncallback": 1},
    at="user",
    screen_name="{auth.fullName|username._content}",
    account_id="id",
    stores={"userId": "{id}"},
    sign_in=oauth,
)
