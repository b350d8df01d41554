"""Checks a signing secret without a signed request."""

import re
from collections.abc import Mapping

from patchbay.domain.base import Json

from .schemes import standard_key

_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def validate_form(data: Mapping[str, Json]) -> dict[str, list[str]]:
    """Messages by field; empty if requests can be verified with it."""
    scheme, found = data.get("scheme"), dict[str, list[str]]()
    if scheme in ("hmac", "token") and not _HEADER.fullmatch(str(data.get("headerName") or "")):
        found["headerName"] = ["Enter the name of a header, such as X-Signature."]
    if scheme == "standard" and standard_key(str(data.get("secret") or "")) is None:
        found["secret"] = ["This secret must be “whsec_” followed by base64. Copy it from the sender again."]
    if scheme == "basic" and ":" in str(data.get("username") or ""):
        found["username"] = ["A user name can't contain a colon."]
    return found
