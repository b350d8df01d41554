"""Addresses of services as people type and paste them."""

import re
from urllib.parse import SplitResult, urlsplit, urlunsplit

from patchbay.domain.errors import ValidationFailed

_API_SUFFIX = re.compile(r"/(v1|healthcheck|openapi\.json|docs)$", re.IGNORECASE)


def normalize_address(address: str) -> str:
    """The base address in what was typed: without slashes, queries and paths of the interface behind it.

    Raises `ValidationFailed` for what is no address of a service.
    """
    parts = _split_url(address)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        message = "The address of a service starts with http:// or https:// and names a host."
        raise ValidationFailed({"address": [message]}, happened=f"“{address}” is no address of a service.")
    if parts.username is not None or parts.password is not None:
        message = (
            "The address of a service holds no user name and no password; what lets you in is its API key."
        )
        raise ValidationFailed({"address": [message]}, happened=message)
    path = parts.path.rstrip("/")
    while (shorter := _API_SUFFIX.sub("", path).rstrip("/")) != path:
        path = shorter
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _split_url(address: str) -> SplitResult | None:
    """None when brackets do not close or the port is none."""
    try:
        parts = urlsplit(address.strip())
        _ = parts.port
    except ValueError:
        return None
    return parts
