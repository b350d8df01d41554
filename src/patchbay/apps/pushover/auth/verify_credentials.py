"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

verify_credentials = verify_with("POST /1/users/validate.json")
