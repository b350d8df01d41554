"""Checks a connection's credentials again."""

from patchbay.integration import still_verified_with

is_still_verified = still_verified_with("/openai/fine_tuning/jobs", query={"api-version": "2024-10-21"})
