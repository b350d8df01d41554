"""Multipart forms (RFC 7578), read from a body that is in memory, in time proportional to its length.

The parser searches for delimiters instead of looking at each byte, and refuses what it can't read in one way
only: a body without its closing boundary may have been cut off, so nothing of it is used.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

MAX_FILES = 1000
MAX_FIELDS = 1000
_MAX_HEAD_BYTES = 8 * 1024
"""Bytes of all headers of one part."""
_PARAMETER = re.compile(r'[ \t]*;[ \t]*([^=;"]*)=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))(?=[ \t]*(?:;|$))')
"""Always matched at the end of the one before, so that each character is looked at once."""
_MAX_PARAMETERS = 20
_BOUNDARY = re.compile(r"[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]")


class MultipartError(ValueError):
    """The body isn't a multipart form, or its end is missing. The message ends a sentence."""


@dataclass(frozen=True)
class Part:
    """One field or file of a form. `filename` is None for a field. Header names are lower-case."""

    name: str
    filename: str | None
    content: bytes = field(repr=False)
    headers: dict[str, str]

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")


def parse_multipart(raw: bytes, content_type: str) -> list[Part]:
    """The parts of a form. Raises `MultipartError`."""
    boundary = header_parameters(content_type).get("boundary", "")
    if not _BOUNDARY.fullmatch(boundary):
        raise MultipartError("the content type has no valid boundary")
    parts: list[Part] = []
    files = 0
    for head, content in _split(raw, boundary.encode()):
        part = _part(head, content)
        files += part.filename is not None
        if files > MAX_FILES or len(parts) - files >= MAX_FIELDS:
            raise MultipartError(f"it has more than {MAX_FILES} files or {MAX_FIELDS} fields")
        parts.append(part)
    return parts


def header_parameters(value: str) -> dict[str, str]:
    """The parameters of a header such as Content-Disposition, by lower-case name; the first of a name counts.

    Stops at what it can't read. Extended parameters (`filename*`) aren't allowed in forms and are skipped.
    """
    found: dict[str, str] = {}
    position = value.find(";")
    for _ in range(_MAX_PARAMETERS):
        match = _PARAMETER.match(value, position) if position >= 0 else None
        if match is None:
            break
        name, quoted, plain = match.groups()
        text = plain.strip() if quoted is None else re.sub(r'\\(["\\])', r"\1", quoted)
        found.setdefault(name.strip().lower(), text)
        position = match.end()
    return found


def _split(raw: bytes, boundary: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Head and content of each part, up to the closing boundary. What stands around the parts is skipped."""
    delimiter = b"\r\n--" + boundary
    # The first one may begin the body; its line break is then missing.
    start = len(delimiter) - 2 if raw.startswith(delimiter[2:]) else _delimiter_end(raw, delimiter, 0)
    while not raw.startswith(b"--", start):
        head_from = _line_end(raw, start)
        head_to = raw.find(b"\r\n\r\n", head_from - 2, head_from + _MAX_HEAD_BYTES)
        if head_to < 0:
            raise MultipartError(f"the headers of a part have no end within {_MAX_HEAD_BYTES} bytes")
        content_from = head_to + 4
        start = _delimiter_end(raw, delimiter, content_from)
        yield raw[head_from:head_to], raw[content_from : start - len(delimiter)]


def _delimiter_end(raw: bytes, delimiter: bytes, start: int) -> int:
    """Where the next delimiter ends. Content that only begins like one is passed over."""
    while (found := raw.find(delimiter, start)) >= 0:
        end = found + len(delimiter)
        if raw.startswith((b"--", b"\r\n", b" ", b"\t"), end):
            return end
        start = found + 2
    raise MultipartError("its closing boundary is missing, so it may have been cut off")


def _line_end(raw: bytes, start: int) -> int:
    """Where the line after a delimiter ends; only padding may stand in it."""
    end = raw.find(b"\r\n", start, start + _MAX_HEAD_BYTES)
    if end < 0 or raw[start:end].strip(b" \t"):
        raise MultipartError("a boundary isn't followed by a new line")
    return end + 2


def _part(head: bytes, content: bytes) -> Part:
    headers: dict[str, str] = {}
    for line in head.split(b"\r\n"):
        name, colon, value = line.partition(b":")
        if not colon:
            raise MultipartError("a part has a header without a colon")
        headers.setdefault(_text(name).strip().lower(), _text(value).strip())
    disposition = header_parameters(headers.get("content-disposition", ""))
    if "name" not in disposition:
        raise MultipartError("a part has no name")
    return Part(disposition["name"], disposition.get("filename"), content, headers)


def _text(raw: bytes) -> str:
    """Names in UTF-8, as browsers send them, or else in Latin-1."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")
