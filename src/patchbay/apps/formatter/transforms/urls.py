"""URLs: their parts, and URLs made of an address and parameters."""

import re
from collections.abc import Sequence
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from patchbay.domain.base import JsonObject
from patchbay.integration.values import parameter_error

MAX_URL = 100_000
MAX_PARAMETERS = 1_000
_URL = re.compile(r"\bhttps?://[^\s<>\"'`{}|\\^]{1,4000}", re.IGNORECASE)
_TRAILING = ".,;:!?"


def decode_uri_component(text: str) -> str:
    """The text with its percent-encoded characters decoded; invalid ones are replaced by �."""
    return unquote(text, errors="replace")


def extract_url(text: str) -> str:
    """The first web address, without punctuation after it; empty when there is none."""
    found = _URL.search(text)
    if found is None:
        return ""
    url = found[0].rstrip(_TRAILING)
    return url[:-1] if url.endswith(")") and "(" not in url else url


def parse_url(text: str) -> JsonObject:
    """The parts of a URL. A parameter that occurs more than once has a list of values."""
    parts = _split(text.strip(), "input")
    try:
        pairs = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=MAX_PARAMETERS)
        port = parts.port
    except ValueError:
        raise parameter_error("input", "The URL has too many parameters or an invalid port.") from None
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return {
        "scheme": parts.scheme,
        "host": parts.hostname or "",
        "port": port,
        "path": unquote(parts.path, errors="replace"),
        "query": {name: found[0] if len(found) == 1 else [*found] for name, found in values.items()},
        "fragment": unquote(parts.fragment, errors="replace"),
        "username": unquote(parts.username or "", errors="replace"),
    }


def add_parameters(text: str, pairs: Sequence[tuple[str, str]]) -> str:
    """The URL with more query parameters; those that it has stay."""
    parts = _split(text.strip(), "input")
    added = urlencode([pair for pair in pairs if pair[0]], errors="replace")
    query = "&".join(filter(None, (parts.query, added)))
    return urlunsplit(parts._replace(query=query))


def _split(text: str, key: str) -> SplitResult:
    try:
        parts = urlsplit(text) if len(text) <= MAX_URL else None
    except ValueError:
        parts = None
    if parts is None or not parts.scheme or not (parts.netloc or parts.path):
        raise parameter_error(
            key, f"“{text[:60]}” isn't a URL.", "Use a full address, such as https://example.org/path."
        )
    return parts
