"""Addresses of services as people type and paste them."""

import re
from urllib.parse import SplitResult, urlsplit, urlunsplit

from patchbay.domain.errors import ValidationFailed

_TAIL = re.compile(r"/(v1|healthcheck|openapi\.json|docs)$", re.IGNORECASE)


def tidied(address: str) -> str:
    """The base address in what was typed: without slashes, queries and paths of the interface behind it.

    Raises `ValidationFailed` for what is no address of a service.
    """
    parts = _parts(address)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        words = "The address of a service starts with http:// or https:// and names a host."
        raise ValidationFailed({"address": [words]}, happened=f"“{address}” is no address of a service.")
    if parts.username is not None or parts.password is not None:
        words = (
            "The address of a service holds no user name and no password; what lets you in is its API key."
        )
        raise ValidationFailed({"address": [words]}, happened=words)
    path = parts.path.rstrip("/")
    while (shorter := _TAIL.sub("", path).rstrip("/")) != path:
        path = shorter
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _parts(address: str) -> SplitResult | None:
    """None when brackets do not close or the port is none."""
    try:
        parts = urlsplit(address.strip())
        _ = parts.port
    except ValueError:
        return None
    return parts
