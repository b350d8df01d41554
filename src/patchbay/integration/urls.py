"""URLs: resolve base URLs, join, compare, and validate."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote, urlencode, urlsplit

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import ValidationFailed
from patchbay.integration.app_definition import App

_AUTH_FIELD = re.compile(r"\{auth\.(\w+)\}")
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_INVALID_HEADER_CHARACTERS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_MANAGED_HEADERS = frozenset(("connection", "content-length", "keep-alive", "proxy-connection"))
"""Headers often found in copied requests. They are left out, because Patchbay sends its own."""
_FRAMING_HEADERS = frozenset(("expect", "http2-settings", "te", "trailer", "transfer-encoding", "upgrade"))
"""Other headers about message framing and the connection (RFC 9110, 7.6.1; RFC 9112, 6)."""
_DEFAULT_PORTS = {"http": 80, "https": 443}


def is_absolute(url: str) -> bool:
    """Whether the URL has a scheme and a host."""
    return bool(_ABSOLUTE.match(url.strip()))


def split(url: str) -> tuple[str, str]:
    """Split an absolute URL into origin and the rest."""
    url = url.strip().partition("#")[0]
    try:
        parts = urlsplit(url)
    except ValueError:
        raise _invalid_url_error(url, "url") from None
    origin = f"{parts.scheme}://{parts.netloc}"
    return origin, url[len(origin) :]


def resolve_base_url(app: App, data: JsonObject) -> str:
    """The API base URL with `{auth.field}` filled in; empty if there is none."""
    if not app.api_base_url:
        return ""

    # A dropdown can have an empty choice, such as a region that isn't part of the address.
    fields = app.auth.fields if app.auth else ()
    optional = {field.key for field in fields if any(option.value == "" for option in field.options)}

    def value_of(match: re.Match[str]) -> str:
        value = data.get(match[1])
        if not value and match[1] in optional:
            return ""
        if not isinstance(value, str) or not value.strip():
            raise ValidationFailed({match[1]: [f"Enter the URL of your {app.name}."]})
        return value.strip().rstrip("/")

    base = _AUTH_FIELD.sub(value_of, app.api_base_url).rstrip("/")
    field = _AUTH_FIELD.search(app.api_base_url)
    _require_web_address(base, field[1] if field else "url")
    return base


def fill_template(template: str, data: Mapping[str, Json]) -> str:
    """Replace each `{auth.field}` in a template; missing fields become empty.

    A template that is just one field gets its exact value; elsewhere slashes aren't doubled.
    """
    whole = _AUTH_FIELD.fullmatch(template)
    if whole:
        return str(data.get(whole[1]) or "").strip()
    return _AUTH_FIELD.sub(lambda match: str(data.get(match[1]) or "").strip().rstrip("/"), template)


def service_name(app: App, url: str) -> str:
    """The service's name for messages: the app's name, or the host if the app is for any URL."""
    return app.name if app.api_base_url else urlsplit(url).netloc.rpartition("@")[2] or app.name


def join(base: str, url: str, params: Iterable[tuple[str, str]] = ()) -> str:
    """Join base and path, and add query parameters to those already in the URL."""
    url = url.strip().partition("#")[0]
    full = f"{base.rstrip('/')}/{url.lstrip('/')}" if url and not url.startswith("?") else base + url
    _require_web_address(full, "url")
    query = urlencode(list(params), quote_via=quote)
    return full + (("&" if "?" in full else "?") + query if query else "")


def same_origin(known: str, other: str) -> bool:
    """Whether two URLs have the same scheme, host, and port.

    An upgrade from http to https on the same host counts as the same, a downgrade doesn't. Raises
    `ValidationFailed` for an invalid URL.
    """
    a, b = _origin(known), _origin(other)
    return a == b or (a[1] == b[1] and a[::2] == ("http", 80) and b[::2] == ("https", 443))


def encode_headers(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """The headers to send, without Content-Length and Connection: wrong values enable request smuggling.

    Raises `ValidationFailed` for line breaks and for headers that would change the message framing.
    """
    encoded = []
    for name, value in headers.items():
        text = str(value).strip()
        if not _HEADER_NAME.fullmatch(name) or _INVALID_HEADER_CHARACTERS.search(text):
            raise ValidationFailed({"headers": [f"The header “{name[:60]}” contains invalid characters."]})
        if name.lower() in _MANAGED_HEADERS:
            continue
        if name.lower() in _FRAMING_HEADERS:
            message = f"The header “{name}” can't be set."
            raise ValidationFailed(
                {"headers": [message]},
                happened=message,
                meaning="It controls how the request is transferred, so Patchbay sets it.",
                todo="Remove this header from the step or connection.",
            )
        encoded.append((name.encode("ascii"), text.encode("utf-8")))
    return encoded


def query_pairs(params: Mapping[str, Json] | Iterable[tuple[str, Json]] | None) -> list[tuple[str, str]]:
    """Query parameters as text: None is dropped, lists are repeated, Booleans become true and false."""
    items = params.items() if isinstance(params, Mapping) else params or ()
    pairs = []
    for name, value in items:
        for item in value if isinstance(value, list) else [value]:
            if item is not None:
                pairs.append((name, str(item).lower() if isinstance(item, bool) else str(item)))
    return pairs


def _require_web_address(url: str, field: str) -> None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in _DEFAULT_PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise _invalid_url_error(url, field)


def _invalid_url_error(url: str, field: str) -> ValidationFailed:
    shown = url if len(url) <= 80 else url[:79] + "…"
    return ValidationFailed(
        {field: [f"“{shown}” isn't a valid URL. It begins with https:// or http:// and a host."]}
    )


def _origin(url: str) -> tuple[str, str, int | None]:
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname or "", parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        raise _invalid_url_error(url, "url") from None
