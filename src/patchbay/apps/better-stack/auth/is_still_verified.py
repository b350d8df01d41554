"""Checks a connection's credentials again."""

from patchbay.integration import still_verified_with

is_still_verified = still_verified_with("/v3/metadata")
