"""Addresses as entered: absolute, or a path below the service URL of the connection."""

from patchbay.integration import Context
from patchbay.integration.urls import is_absolute, join
from patchbay.integration.values import parameter_error, text_of


def full_address(ctx: Context, url: str) -> str:
    """The absolute address. Raises `ValidationFailed` for a path without a connection."""
    service = text_of(ctx.auth.data, "baseUrl")
    full = join(service, url) if service and not is_absolute(url) else url
    if not is_absolute(full):
        raise parameter_error("url", f"“{url[:80]}” isn't a valid URL.", "Start with https:// or http://.")
    return full
