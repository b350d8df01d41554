"""Checks a connection's credentials again."""

from patchbay.integration import still_verified_with
from patchbay.integration.google import GOOGLE_PROFILE

is_still_verified = still_verified_with(GOOGLE_PROFILE)
