"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

verify_credentials = verify_with(
    "POST /",
    body={"query": "query { me { id name email } }"},
    at="data.me",
    screen_name="{name} @ {email}",
    account_id="id",
)
