"""E-mail addresses as people write them and as earlier steps put them out. What is no address is refused."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from patchbay.domain.base import Json
from patchbay.domain.errors import ValidationFailed
from patchbay.integration.values import as_text, refuse

_QUOTED = r'"(?:\\.|[^"\\])*"'
_UP_TO_AN_OPEN_QUOTE = re.compile(rf'(?:[^"]|{_QUOTED})*', re.DOTALL)
_QUOTED_OR_SEPARATOR = re.compile(rf"{_QUOTED}|[,;]", re.DOTALL)
_SEPARATOR = re.compile("[,;]")
_NAMED = re.compile(r"(?P<name>.*?)<(?P<address>[^<>]*)>", re.DOTALL)
_LOCAL = re.compile(r"[^\s@<>()\[\],;:\\\"\x00-\x1f\x7f]{1,64}")
_DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-fA-F:.]{3,45}\]", re.IGNORECASE)
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_LONGEST_NAME = 200
_LONGEST_DOMAIN = 255


@dataclass(frozen=True)
class Mailbox:
    """An address with the name shown beside it. The domain is in its ASCII form."""

    local: str
    domain: str
    name: str = ""

    @property
    def address(self) -> str:
        return f"{self.local}@{self.domain}"

    @property
    def is_ascii(self) -> bool:
        """Whether every server can take it; others need SMTPUTF8."""
        return self.local.isascii()


def mailboxes(value: Json, key: str, label: str) -> tuple[Mailbox, ...]:
    """Every address in a text, separated by comma or semicolon, or in what an earlier step put out.

    That is an object with `address` and `name`, or a list of objects and texts. Raises `ValidationFailed`.
    """
    if isinstance(value, list):
        return tuple(found for item in value for found in mailboxes(item, key, label))
    if isinstance(value, dict):
        return (_mailbox(as_text(value.get("address")), as_text(value.get("name")), key, label),)
    pieces = (piece.strip() for piece in _pieces(as_text(value)))
    return tuple(_written(piece, key, label) for piece in pieces if piece)


def _pieces(text: str) -> Iterator[str]:
    """The text at its commas and semicolons, but for those in quotes. A quote that is never closed is none.

    Nothing after such a quote can be closed either, so each part of the text is looked at once.
    """
    closed = _UP_TO_AN_OPEN_QUOTE.match(text)
    end = closed.end() if closed else 0
    start = 0
    for found in chain(_QUOTED_OR_SEPARATOR.finditer(text, 0, end), _SEPARATOR.finditer(text, end)):
        if found[0] in (",", ";"):
            yield text[start : found.start()]
            start = found.end()
    yield text[start:]


def one_mailbox(value: Json, name: str, key: str, label: str) -> Mailbox:
    """Exactly one address, with this name beside it when there is one. Raises `ValidationFailed`."""
    found = mailboxes(value, key, label)
    if len(found) != 1:
        raise refuse(key, f"{label}: enter one address." if found else f"Enter {label}.")
    shown = one_line(name)
    return Mailbox(found[0].local, found[0].domain, shown) if shown else found[0]


def one_line(text: str) -> str:
    """The text without line breaks and control characters, so that it can only ever be one header."""
    return " ".join(_UNSEEN.sub(" ", whole(text)).split())


def whole(text: str) -> str:
    """The text with halves of letters, which no encoding can hold, replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _written(piece: str, key: str, label: str) -> Mailbox:
    if _UNSEEN.search(piece):
        raise _no_address(piece, key, label)
    if named := _NAMED.fullmatch(piece):
        name = named["name"].strip().removeprefix('"').removesuffix('"')
        return _mailbox(named["address"], name.replace('\\"', '"'), key, label)
    return _mailbox(piece, "", key, label)


def _mailbox(address: str, name: str, key: str, label: str) -> Mailbox:
    local, _, domain = address.strip().rpartition("@")
    domain = _ascii_domain(domain)
    if not _LOCAL.fullmatch(local) or not _DOMAIN.fullmatch(domain) or ".." in f"{local}@{domain}":
        raise _no_address(address, key, label)
    return Mailbox(local, domain, one_line(name)[:_LONGEST_NAME])


def _no_address(text: str, key: str, label: str) -> ValidationFailed:
    shown = one_line(text)[:80]
    return refuse(
        key, f"{label}: “{shown}” is not an e-mail address.", "Separate several addresses by commas."
    )


def _ascii_domain(domain: str) -> str:
    """`müller.example` as `xn--mller-kva.example`; empty when it has no such form."""
    if domain.isascii():
        return domain
    if len(domain) > _LONGEST_DOMAIN:
        return ""
    try:
        return domain.encode("idna").decode("ascii")
    except UnicodeError:
        return ""
