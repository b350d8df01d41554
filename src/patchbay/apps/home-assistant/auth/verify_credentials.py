"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

# The only request that says nothing about the home, and that every user may send.
verify_credentials = verify_with("/api/")
