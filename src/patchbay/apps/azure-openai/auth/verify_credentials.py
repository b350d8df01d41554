"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

verify_credentials = verify_with("/openai/fine_tuning/jobs", query={"api-version": "2024-10-21"})
