"""The structure of a message: its parts, their headers, and their decoded content (RFC 5322, 2045, 2046).

The `email` package of the standard library isn't made for messages written by attackers: some of its parsers
take quadratic time or recurse once per character, even when a message is only split into its parts. This
module takes time and memory proportional to the message, and never raises whatever it contains.
"""

import re
from binascii import Error as NotEncoded
from binascii import a2b_base64, a2b_qp, a2b_uu
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from .headers import Parameters, decode_header, decode_words, parse_parameters

MAX_HEAD_BYTES = 256 * 1024
"""Max. bytes of the headers of one part; others are dropped."""
MAX_HEADER_LINES = 2000
MAX_PARTS = 500
"""Max. parts of a message; others are dropped."""
MAX_LEVELS = 20
"""Max. nesting of multiparts; a deeper one counts as one part."""
_MAX_BOUNDARY = 200

_TYPE = re.compile(r"\s*([\w!#$&^.+-]{1,80})/([\w!#$&^.+-]{1,80})\s*(?:;|$)", re.ASCII)
_HEADER = re.compile(rb"[!-9;-~]{1,200}[ \t]*:")
_UU_BEGIN = re.compile(rb"^begin [0-7]{1,6} [^\n]*\n", re.MULTILINE)
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NO_BASE64 = bytes(byte for byte in range(256) if byte not in _BASE64)


@dataclass(frozen=True)
class Part:
    """A part of a message, or all of it: raw header values in order, and encoded content."""

    headers: tuple[tuple[str, str], ...]
    """Lower-case names, and values without line breaks, not decoded."""
    raw: bytes = field(repr=False)
    begin: int = 0
    end: int = 0
    """The range of the content in `raw`."""
    complete: bool = True
    """Whether all headers were read."""
    default_type: str = "text/plain"

    @cached_property
    def by_name(self) -> dict[str, str]:
        """The first value of each header."""
        return dict(reversed(self.headers))

    @cached_property
    def content_type(self) -> str:
        """Such as `text/plain`, in lower case."""
        value = self.by_name.get("content-type")
        if value is None:
            return self.default_type
        found = _TYPE.match(value)
        return f"{found[1]}/{found[2]}".lower() if found else "text/plain"

    @cached_property
    def type_parameters(self) -> Parameters:
        """The parameters of the content type, such as `charset`."""
        return parse_parameters(self.by_name.get("content-type", ""))

    @property
    def disposition(self) -> str:
        """`attachment`, `inline`, or empty."""
        return self.by_name.get("content-disposition", "").partition(";")[0].strip().lower()

    @cached_property
    def file_name(self) -> str:
        """The decoded file name of the part; empty if it has none."""
        disposition = parse_parameters(self.by_name.get("content-disposition", ""))
        return disposition.get("filename") or self.type_parameters.get("name") or ""

    def header(self, name: str) -> str:
        """The text of a header; empty if there is none."""
        return decode_words(self.by_name.get(name, ""))

    def content(self) -> bytes:
        """The decoded content; unchanged if it doesn't have the declared encoding."""
        encoded = self.raw[self.begin : self.end]
        match self.by_name.get("content-transfer-encoding", "").strip().lower():
            case "base64":
                try:
                    return a2b_base64(encoded)
                except NotEncoded:
                    # Cut off in the middle, because only the beginning of a large message is read.
                    digits = encoded.translate(None, _NO_BASE64)
                    return a2b_base64(digits[: len(digits) // 4 * 4])
            case "quoted-printable":
                return a2b_qp(encoded)
            case "x-uuencode" | "uuencode" | "uue" | "x-uue":
                return _decode_uu(encoded)
        return encoded


@dataclass
class Parts:
    """The leaf parts of a message, in order. An attached message counts as one."""

    message: Part
    leaves: list[Part] = field(default_factory=list)
    complete: bool = True
    """Whether no part was dropped."""


def parse_message(raw: bytes) -> Parts:
    """Parse a message into its parts."""
    message = read_part(raw, 0, len(raw))
    parts = Parts(message)
    _add_leaves(message, parts, 1)
    return parts


def read_part(raw: bytes, begin: int, end: int, default_type: str = "text/plain") -> Part:
    """The part between two positions of a message: its headers, and the range of its content."""
    lines: list[bytes] = []
    stop = min(end, begin + MAX_HEAD_BYTES)
    position = begin
    while position < stop and len(lines) < MAX_HEADER_LINES:
        line_end = raw.find(b"\n", position, stop)
        next_line = stop if line_end < 0 else line_end + 1
        line = raw[position:next_line].rstrip(b"\r\n")
        is_envelope = not lines and line.startswith(b"From ")  # what mailbox files put before a message
        if not line or not (line[:1] in b" \t" or _HEADER.match(line) or is_envelope):
            # Without an empty line, the content begins with the first line that isn't a header.
            content = position if line else next_line
            return Part(tuple(_headers(lines)), raw, content, end, default_type=default_type)
        lines.append(line)
        position = next_line
    content = position if position >= end else _after_empty_line(raw, position, end)
    return Part(tuple(_headers(lines)), raw, content, end, position >= end, default_type)


def _after_empty_line(raw: bytes, position: int, end: int) -> int:
    found = [(raw.find(gap, position, end), len(gap)) for gap in (b"\n\r\n", b"\n\n")]
    return min((at + length for at, length in found if at >= 0), default=end)


def _headers(lines: list[bytes]) -> Iterator[tuple[str, str]]:
    """Names and values of header lines. A line that begins with a space continues the one before."""
    name, value = "", list[bytes]()
    for line in lines:
        if line[:1] in b" \t":
            value.append(line)
            continue
        if name:
            yield name, decode_header(b"".join(value)).strip()
        found, _, rest = line.partition(b":")
        name, value = found.decode("ascii", "replace").strip().lower(), [rest]
        if found.startswith(b"From "):
            name = ""
    if name:
        yield name, decode_header(b"".join(value)).strip()


def _add_leaves(part: Part, parts: Parts, level: int) -> None:
    boundary = part.type_parameters.get("boundary", "")
    is_multipart = part.content_type.startswith("multipart/") and 0 < len(boundary) <= _MAX_BOUNDARY
    if not is_multipart or level > MAX_LEVELS:
        _add_leaf(part, parts)
        return
    inner_type = "message/rfc822" if part.content_type == "multipart/digest" else "text/plain"
    found = False
    for begin, end in _part_ranges(part, boundary):
        if len(parts.leaves) >= MAX_PARTS:
            parts.complete = False
            return
        found = True
        inner = read_part(part.raw, begin, end, inner_type)
        parts.complete &= inner.complete
        _add_leaves(inner, parts, level + 1)
    if not found:
        _add_leaf(part, parts)


def _add_leaf(part: Part, parts: Parts) -> None:
    if len(parts.leaves) < MAX_PARTS:
        parts.leaves.append(part)
    else:
        parts.complete = False


def _part_ranges(part: Part, boundary: str) -> Iterator[tuple[int, int]]:
    """The ranges of the parts of a multipart. A part without an end extends to the end of the multipart."""
    delimiter = re.escape(boundary.encode("utf-8", "replace"))
    # It begins with fixed text, so that searching is fast.
    pattern = re.compile(rb"\n--" + delimiter + rb"(--)?[ \t]{0,100}\r?(?=\n|\Z)")
    begin = None
    for found in pattern.finditer(part.raw, max(0, part.begin - 1), part.end):
        if begin is not None and found.start() >= begin:
            end = found.start()
            if end > begin and part.raw[end - 1 : end] == b"\r":
                end -= 1  # the line break before a boundary belongs to the boundary
            yield begin, end
        if found[1]:
            return
        begin = min(found.end() + 1, part.end)
    if begin is not None and begin < part.end:
        yield begin, part.end


def _decode_uu(encoded: bytes) -> bytes:
    begin = _UU_BEGIN.search(encoded)
    lines = encoded[begin.end() if begin else 0 :].splitlines()
    decoded = bytearray()
    for line in lines:
        if line.strip(b" `") in (b"", b"end"):
            continue
        try:
            decoded += a2b_uu(line)
        except NotEncoded:
            # Some programs write lines that are too long; their first byte has the real length.
            length = ((line[0] - 32) & 63) * 4 + 5
            try:
                decoded += a2b_uu(line[: length // 3])
            except NotEncoded:
                return encoded
    return bytes(decoded)
