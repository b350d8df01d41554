"""Parses email addresses, from text and from the output of earlier steps. Rejects invalid ones."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from patchbay.domain.base import Json
from patchbay.domain.errors import ValidationFailed
from patchbay.integration.values import CONTROL_CHARACTERS, as_text, parameter_error, to_single_line

_QUOTED = r'"(?:\\.|[^"\\])*"'
_UNTIL_OPEN_QUOTE = re.compile(rf'(?:[^"]|{_QUOTED})*', re.DOTALL)
_QUOTED_OR_SEPARATOR = re.compile(rf"{_QUOTED}|[,;]", re.DOTALL)
_SEPARATOR = re.compile("[,;]")
_NAMED = re.compile(r"(?P<name>.*?)<(?P<address>[^<>]*)>", re.DOTALL)
_LOCAL = re.compile(r"[^\s@<>()\[\],;:\\\"\x00-\x1f\x7f]{1,64}")
_DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-fA-F:.]{3,45}\]", re.IGNORECASE)
_MAX_NAME_LENGTH = 200
_MAX_DOMAIN_LENGTH = 255


@dataclass(frozen=True)
class Mailbox:
    """An address with its display name. The domain is in ASCII form."""

    local: str
    domain: str
    name: str = ""

    @property
    def address(self) -> str:
        """The address without the display name, such as “ada@example.org”."""
        return f"{self.local}@{self.domain}"

    @property
    def is_ascii(self) -> bool:
        """Whether every server supports it; others need SMTPUTF8."""
        return self.local.isascii()


def parse_mailboxes(value: Json, key: str, label: str) -> tuple[Mailbox, ...]:
    """All addresses in a text, separated by commas or semicolons, or in the output of an earlier step.

    Output is an object with `address` and `name`, or a list of objects and texts. Raises `ValidationFailed`.
    """
    if isinstance(value, list):
        return tuple(found for item in value for found in parse_mailboxes(item, key, label))
    if isinstance(value, dict):
        return (_build_mailbox(as_text(value.get("address")), as_text(value.get("name")), key, label),)
    pieces = (piece.strip() for piece in _split_mailboxes(as_text(value)))
    return tuple(_parse_text(piece, key, label) for piece in pieces if piece)


def _split_mailboxes(text: str) -> Iterator[str]:
    """Split at commas and semicolons outside quotes. A quote that is never closed is an ordinary character.

    No quote after such a quote can be closed either, so each part of the text is read once.
    """
    closed = _UNTIL_OPEN_QUOTE.match(text)
    end = closed.end() if closed else 0
    start = 0
    for found in chain(_QUOTED_OR_SEPARATOR.finditer(text, 0, end), _SEPARATOR.finditer(text, end)):
        if found[0] in (",", ";"):
            yield text[start : found.start()]
            start = found.end()
    yield text[start:]


def parse_mailbox(value: Json, name: str, key: str, label: str) -> Mailbox:
    """Exactly one address, with this display name if it isn't empty. Raises `ValidationFailed`."""
    found = parse_mailboxes(value, key, label)
    if len(found) != 1:
        raise parameter_error(key, f"{label}: enter only one address." if found else f"Enter {label}.")
    shown = to_single_line(name)
    return Mailbox(found[0].local, found[0].domain, shown) if shown else found[0]


def _parse_text(piece: str, key: str, label: str) -> Mailbox:
    if CONTROL_CHARACTERS.search(piece):
        raise _invalid_address_error(piece, key, label)
    if named := _NAMED.fullmatch(piece):
        name = named["name"].strip().removeprefix('"').removesuffix('"')
        return _build_mailbox(named["address"], name.replace('\\"', '"'), key, label)
    return _build_mailbox(piece, "", key, label)


def _build_mailbox(address: str, name: str, key: str, label: str) -> Mailbox:
    local, _, domain = address.strip().rpartition("@")
    domain = _ascii_domain(domain)
    if not _LOCAL.fullmatch(local) or not _DOMAIN.fullmatch(domain) or ".." in f"{local}@{domain}":
        raise _invalid_address_error(address, key, label)
    return Mailbox(local, domain, to_single_line(name)[:_MAX_NAME_LENGTH])


def _invalid_address_error(text: str, key: str, label: str) -> ValidationFailed:
    shown = to_single_line(text)[:80]
    return parameter_error(
        key, f"{label}: “{shown}” isn't an email address.", "Separate multiple addresses with commas."
    )


def _ascii_domain(domain: str) -> str:
    """The ASCII form of a domain: `xn--mller-kva.example` for `müller.example`; empty if it has none."""
    if domain.isascii():
        return domain
    if len(domain) > _MAX_DOMAIN_LENGTH:
        return ""
    try:
        return domain.encode("idna").decode("ascii")
    except UnicodeError:
        return ""
