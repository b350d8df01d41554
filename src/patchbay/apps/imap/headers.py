"""Parses mail headers: encoded words, parameters, addresses, dates. Takes time linear in their length."""

import re
from binascii import Error as NotEncoded
from binascii import a2b_base64, a2b_qp
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from urllib.parse import unquote_to_bytes

from patchbay.domain.charsets import decode_leniently

MAX_ADDRESSES = 1000
"""Max. addresses of one header; others are dropped."""
MAX_ADDRESS = 1000
"""Max. characters of an address, and of its name."""
MAX_PARAMETERS = 100
_LONGEST_DATE = 200
_LONGEST_PARAMETERS = 16 * 1024

Parameters = dict[str, str]

# None of these patterns can match a text in two ways, so none backtracks.
_WORD = re.compile(r"=\?([^?\s*]{1,60})(?:\*[^?\s]{0,40})?\?([bBqQ])\?([^?]*)\?=")
_QUOTED = r'"[^"\\]*(?:\\.[^"\\]*)*"?'
_PARAMETER = re.compile(rf";\s*([^\s=;\"]{{1,100}})\s*=\s*({_QUOTED}|[^;]*)", re.DOTALL)
_TOKEN = re.compile(rf'{_QUOTED}|[()<>,;:]|\\.|[^"()<>,;:\\]+|\\', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SECTION = re.compile(r"(.+?)\*(\d{1,3})?(\*)?")


def decode_header(raw: bytes) -> str:
    """A raw header as text; invalid UTF-8 becomes �."""
    return raw.decode("utf-8", "replace")


def to_single_line(text: str) -> str:
    """The text in one line, without control characters and lone surrogates, which can't be stored."""
    return " ".join(text.encode("utf-8", "replace").decode().replace("\0", " ").split())


def decode_words(text: str) -> str:
    """The text with its encoded words (RFC 2047) decoded, in one line."""
    return to_single_line("".join(_decoded_pieces(text))) if "=?" in text else to_single_line(text)


def _decoded_pieces(text: str) -> Iterator[str]:
    """Decode encoded words. Adjacent ones are joined first, because some programs split characters."""
    end = 0
    charset = ""
    pending = bytearray()
    for word in _WORD.finditer(text):
        between = text[end : word.start()]
        if between.strip() or charset != word[1].lower():
            yield decode_leniently(bytes(pending), charset)
            pending.clear()
            if between.strip() or not charset:
                yield between
        charset = word[1].lower()
        pending += _word_bytes(word[2], word[3])
        end = word.end()
    yield decode_leniently(bytes(pending), charset)
    yield text[end:]


def _word_bytes(kind: str, encoded: str) -> bytes:
    raw = encoded.encode("utf-8", "replace")
    if kind in "qQ":
        return a2b_qp(raw, header=True)
    for padding in (b"", b"=", b"=="):
        try:
            return a2b_base64(raw + padding)
        except NotEncoded:
            continue
    return raw


def parse_parameters(value: str) -> Parameters:
    """The parameters of a Content-Type or Content-Disposition by lower-case name (RFC 2045, 2231)."""
    found: Parameters = {}
    sections: dict[str, dict[int, tuple[bool, str]]] = {}
    for number, parameter in enumerate(_PARAMETER.finditer(value[:_LONGEST_PARAMETERS])):
        if number >= MAX_PARAMETERS:
            break
        name, given = parameter[1].lower(), _unquote(parameter[2].strip())
        section = _SECTION.fullmatch(name)
        if section:
            place = int(section[2] or 0)
            encoded = bool(section[3]) or section[2] is None
            sections.setdefault(section[1], {}).setdefault(place, (encoded, given))
        else:
            found.setdefault(name, decode_words(given))
    for name, parts in sections.items():
        found[name] = _join_sections(parts)
    return found


def _join_sections(parts: dict[int, tuple[bool, str]]) -> str:
    """Join a value sent in sections, the first of which has the character set."""
    charset, raw = "utf-8", bytearray()
    for place, (encoded, text) in sorted(parts.items()):
        if encoded and place == 0 and text.count("'") >= 2:
            charset, _, text = text.split("'", 2)
        raw += unquote_to_bytes(text) if encoded else text.encode("utf-8", "replace")
    return to_single_line(decode_leniently(bytes(raw), charset))


def _unquote(text: str) -> str:
    if not text.startswith('"'):
        return text
    return _ESCAPED.sub(r"\1", text[1:].removesuffix('"') if len(text) > 1 else "")


def parse_addresses(value: str) -> list[tuple[str, str]]:
    """Name and address of each mailbox in a header such as To, including those in groups."""
    found: list[tuple[str, str]] = []
    for mailbox in _mailboxes(value):
        if mailbox is not None:
            found.append(mailbox)
        if len(found) >= MAX_ADDRESSES:
            break
    return found


def _mailboxes(value: str) -> Iterator[tuple[str, str] | None]:
    phrase = list[str]()
    angle = list[str]()
    comment = list[str]()
    depth = 0
    in_angle = False
    had_angle = False
    has_at = False
    for token in _TOKEN.findall(value):
        if token in ("(", ")") or depth:
            depth = max(0, depth + (token == "(") - (token == ")"))
            comment.append(token)
        elif token in (",", ";"):
            yield _mailbox(phrase, angle if had_angle else None, comment)
            phrase = []
            angle = []
            comment = []
            in_angle = False
            had_angle = False
            has_at = False
        elif token == "<":
            in_angle = had_angle = True
        elif token == ">":
            in_angle = False
        elif token == ":" and not in_angle and not has_at:
            phrase = []  # the name of a group
        else:
            has_at |= "@" in token
            (angle if in_angle else phrase).append(token)
    yield _mailbox(phrase, angle if had_angle else None, comment)


def _mailbox(phrase: list[str], angle: list[str] | None, comment: list[str]) -> tuple[str, str] | None:
    """A mailbox. Text that isn't an address is a name. None if it is empty."""
    words = "".join(phrase).strip()
    if angle is not None:
        name, address = _display_name(phrase), "".join(angle)
    elif "@" in words or (words and not any(map(str.isspace, words))):
        name, address = decode_words("".join(comment[:100]).strip("() ")), words
    else:
        name, address = _display_name(phrase), ""
    address = to_single_line("".join(address.split()))[:MAX_ADDRESS]
    return (name[:MAX_ADDRESS], address) if name or address else None


def _display_name(phrase: list[str]) -> str:
    return decode_words("".join(_unquote(word) if word.startswith('"') else word for word in phrase))


def parse_date(value: str) -> str | None:
    """The date of a Date header in ISO format; None if it is invalid."""
    try:
        return parsedate_to_datetime(value[:_LONGEST_DATE]).isoformat()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
