"""Base64, and the percent-encoding of URLs as browsers do it."""

import binascii
from base64 import b64decode, b64encode
from urllib.parse import quote

from patchbay.integration.values import parameter_error

_COMPONENT = "-_.!~*'()"
_WHOLE = _COMPONENT + ";,/?:@&=+$#"


def base64_to_string(text: str) -> str:
    """Decode base64. Accepts the URL-safe alphabet and missing padding."""
    plain = "".join(text.split()).replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("utf-8")
    except UnicodeDecodeError:
        raise parameter_error("input", "The decoded base64 isn't UTF-8 text.") from None
    except (binascii.Error, ValueError):
        raise parameter_error("input", "The input isn't valid base64.") from None


def string_to_base64(text: str) -> str:
    """Encode text as base64 of its UTF-8 bytes."""
    return b64encode(text.encode("utf-8", "replace")).decode("ascii")


def encode_uri(text: str) -> str:
    """Percent-encode a whole URL, except its separators."""
    return quote(text, safe=_WHOLE, errors="replace")


def encode_uri_component(text: str) -> str:
    """Percent-encode one part of a URL, including separators."""
    return quote(text, safe=_COMPONENT, errors="replace")
