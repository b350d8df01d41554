"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

verify_credentials = verify_with("/v3/metadata")
