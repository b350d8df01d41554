"""Which addresses of web pages and emails are opened, and how they are written."""

import re
import unicodedata
from urllib.parse import SplitResult, unquote, urlsplit

from patchbay.domain.desktop import MAX_ADDRESS_LENGTH
from patchbay.domain.errors import ValidationFailed
from patchbay.integration.values import parameter_error

_UNUSABLE = re.compile(r"[\x00-\x20\x7f-\x9f\"<>\\^`{|}\ud800-\udfff]")
_INVISIBLE = frozenset(("Cc", "Cf", "Zs", "Zl", "Zp", "Co", "Cn"))
"""Kinds of characters that aren't seen, or that change the order of those beside them."""
_HOST = re.compile(r"[a-z0-9._-]+|\[[0-9a-f:.]+\]")
_AMBIGUOUS = "ßς"
"""Letters that browsers encode in another way than Python does, so that another page would be opened."""
_MAIL_FIELDS = frozenset(("to", "cc", "bcc", "subject", "body"))
_SMUGGLED = re.compile(r"['\x00-\x09\x0b\x0c\x0e-\x1f\x7f]|\b(attach\w*|insert)\s*=", re.IGNORECASE)
"""What some mail programs take for the end of a value, or for a file of this computer to attach."""


def checked_address(address: str) -> str:
    """The address, if it is a web page or an email, with its host in ASCII, so that none looks like another.

    Raises `ValidationFailed` for everything else.
    """
    if not address or len(address) > MAX_ADDRESS_LENGTH or _has_unusable(address):
        message = "The address is empty, too long, or contains spaces or other invalid characters."
        raise parameter_error("address", message)
    try:
        parts = urlsplit(address)
        scheme, host, _ = parts.scheme.lower(), parts.hostname, parts.port
    except ValueError:
        raise _scheme_error() from None
    if scheme in ("http", "https") and host and "@" not in parts.netloc:
        return _with_ascii_host(address, parts, host)
    if scheme != "mailto" or parts.netloc or parts.fragment:
        raise _scheme_error()
    _check_email(address, parts.query)
    return address


def _has_unusable(address: str) -> bool:
    return bool(_UNUSABLE.search(address)) or any(unicodedata.category(one) in _INVISIBLE for one in address)


def _with_ascii_host(address: str, parts: SplitResult, host: str) -> str:
    host = f"[{host}]" if ":" in host else host
    try:
        ascii_host = host if host.isascii() else host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        ascii_host = ""
    if not _HOST.fullmatch(ascii_host) or any(letter in host for letter in _AMBIGUOUS):
        raise parameter_error("address", "The name of the website isn't valid.")
    if host.isascii():
        return address
    port = "" if parts.port is None else f":{parts.port}"
    return parts._replace(netloc=ascii_host + port).geturl()


def _check_email(address: str, query: str) -> None:
    for field in filter(None, query.split("&")):
        name = unquote(field.partition("=")[0]).lower()
        if name not in _MAIL_FIELDS:
            message = f"“{name[:60]}” isn't allowed in the address of an email."
            raise parameter_error("address", message, "Use only to, cc, bcc, subject, and body.")
    decoded = unquote(address)
    if ";" in address or _SMUGGLED.search(decoded) or _SMUGGLED.search(unquote(decoded)):
        raise parameter_error(
            "address",
            "Some mail programs would attach a file of this computer.",
            "Remove apostrophes, semicolons, control characters, and “attach=”.",
        )


def _scheme_error() -> ValidationFailed:
    return parameter_error(
        "address",
        "The address isn't a web page or an email.",
        "Enter an address that begins with https://, http://, or mailto:, without a user name.",
    )
