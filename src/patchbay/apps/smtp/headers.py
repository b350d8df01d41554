"""Headers of a message in the form they have on the wire.

The standard library reads every header it is given, encoded words included, and writes it anew: a subject
that somebody typed as `=?utf-8?q?a=0d=0aBcc:…?=` would become two headers. So headers are written here, once,
and handed over in a form that the library leaves alone.
"""

from collections.abc import Iterable
from email.header import Header
from email.policy import EmailPolicy
from urllib.parse import quote

from .addresses import Mailbox, one_line

_WIDTH = 76
_LONGEST_WORD = 60
_NAME_SAFE = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~ ")


class Line(str):
    """A header that is written already. `name` and `fold` are what the library asks of its own headers."""

    name: str

    def __new__(cls, name: str, value: str) -> "Line":
        made = super().__new__(cls, value)
        made.name = name
        return made

    def fold(self, *, policy: EmailPolicy) -> str:
        """The whole header with its line end."""
        return f"{self.name}: {self}{policy.linesep}"


def text_line(name: str, text: str) -> Line:
    """A header that is text for people."""
    return Line(name, _words(one_line(text), len(name) + 2))


def address_line(name: str, boxes: Iterable[Mailbox]) -> Line:
    """A header that lists addresses, each on a line of its own."""
    return Line(name, ",\r\n ".join(map(_address, boxes)))


def file_line(name: str) -> Line:
    """How a part says that it is a file of this name. Names beyond ASCII are written as RFC 2231 has it."""
    plain = name.isascii() and not set(name) & set('"\\=?') and len(name) <= _LONGEST_WORD
    return Line("Content-Disposition", f"attachment; filename{_value(name, plain)}")


def _value(name: str, plain: bool) -> str:
    return f'="{name}"' if plain else f"*=utf-8''{quote(name, safe='')}"


def _address(box: Mailbox) -> str:
    if not box.name:
        return box.address
    name = box.name
    if _is_plain(name) and not set(name) <= _NAME_SAFE:
        name = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    else:
        name = _words(name, 0)
    return (
        f"{name}\r\n <{box.address}>" if len(name) + len(box.address) > _WIDTH else f"{name} <{box.address}>"
    )


def _words(text: str, used: int) -> str:
    """Plain words as they are, everything else as encoded words; folded, with `used` columns taken."""
    charset = "us-ascii" if _is_plain(text) else "utf-8"
    header = Header(text, charset, maxlinelen=_WIDTH, header_name="x" * max(0, used - 2))
    return header.encode(linesep="\r\n")


def _is_plain(text: str) -> bool:
    """Whether every reader shows these letters as they are, and they can be folded."""
    short = all(len(word) <= _LONGEST_WORD for word in text.split(" "))
    return text.isascii() and text.isprintable() and "=?" not in text and short
