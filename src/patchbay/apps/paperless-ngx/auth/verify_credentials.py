"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

# Users who may see documents don't need permission to see users or settings.
verify_credentials = verify_with("/api/documents/", query={"page_size": 1})
