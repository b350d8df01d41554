"""Encodes the headers of an email message.

The standard library parses each header, including encoded words, and encodes it again: a subject entered as
`=?utf-8?q?a=0d=0aBcc:…?=` would become two headers. So headers are encoded here, once, and passed to the
library in a form that it doesn't change.
"""

from collections.abc import Iterable
from email.header import Header
from email.policy import EmailPolicy
from urllib.parse import quote

from patchbay.integration.mail_addresses import Mailbox
from patchbay.integration.values import to_single_line

_LINE_WIDTH = 76
_MAX_WORD_LENGTH = 60
_NAME_SAFE = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~ ")


class RawHeader(str):
    """An encoded header. `name` and `fold` are the interface of the library's own headers."""

    name: str

    def __new__(cls, name: str, value: str) -> "RawHeader":
        made = super().__new__(cls, value)
        made.name = name
        return made

    def fold(self, *, policy: EmailPolicy) -> str:
        """The whole header with its line end."""
        return f"{self.name}: {self}{policy.linesep}"


def text_header(name: str, text: str) -> RawHeader:
    """A header with text, such as Subject."""
    return RawHeader(name, _encode_text(to_single_line(text), len(name) + 2))


def address_header(name: str, boxes: Iterable[Mailbox]) -> RawHeader:
    """A header with addresses, one per line."""
    return RawHeader(name, ",\r\n ".join(map(_format_mailbox, boxes)))


def file_header(name: str) -> RawHeader:
    """The Content-Disposition of a file with this name. Non-ASCII names are encoded by RFC 2231."""
    plain = name.isascii() and not set(name) & set('"\\=?') and len(name) <= _MAX_WORD_LENGTH
    encoded = f'="{name}"' if plain else f"*=utf-8''{quote(name, safe='')}"
    return RawHeader("Content-Disposition", f"attachment; filename{encoded}")


def _format_mailbox(box: Mailbox) -> str:
    if not box.name:
        return box.address
    name = box.name
    if _is_plain(name) and not set(name) <= _NAME_SAFE:
        name = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    else:
        name = _encode_text(name, 0)
    return (
        f"{name}\r\n <{box.address}>"
        if len(name) + len(box.address) > _LINE_WIDTH
        else f"{name} <{box.address}>"
    )


def _encode_text(text: str, used_columns: int) -> str:
    """Encode and fold header text: ASCII words unchanged, others encoded. `used_columns` are taken."""
    charset = "us-ascii" if _is_plain(text) else "utf-8"
    header = Header(text, charset, maxlinelen=_LINE_WIDTH, header_name="x" * max(0, used_columns - 2))
    return header.encode(linesep="\r\n")


def _is_plain(text: str) -> bool:
    """Whether the text needs no encoding and can be folded."""
    short = all(len(word) <= _MAX_WORD_LENGTH for word in text.split(" "))
    return text.isascii() and text.isprintable() and "=?" not in text and short
