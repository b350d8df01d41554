"""An IMAP client that limits how many bytes a server may send in one session.

`imaplib` reads literals of any size and stores every untagged line, so a server could fill Patchbay's memory.
Imported when a connection is opened, because `imapclient` takes long to import.
"""

import imaplib
import re

from imapclient import IMAPClient
from imapclient.imap4 import IMAP4WithTimeout
from imapclient.tls import IMAP4_TLS

from patchbay.domain.errors import NotSupported

MAX_SESSION_BYTES = 64 * 1024 * 1024
"""More than one poll reads (`search.MAX_TOTAL_BYTES`), plus the protocol around the messages."""
LINE_OVERHEAD = 128
"""Bytes counted for each line on top of its length: a line of 12 bytes takes 10 times that in memory."""
_LITERAL = re.compile(rb"\{(\d+)\}\r\n\Z")
_MAX_DIGITS = 18
"""Max. digits of a literal's size. Python doesn't parse numbers of more than 4,300 digits."""


class _BoundedReads(imaplib.IMAP4):
    """Counts the bytes read, and rejects too large literals unread. List it before the other base class."""

    _received = 0

    def read(self, size: int) -> bytes:
        """Read a literal of `size` bytes. Raises `NotSupported` if it exceeds the limit of the session."""
        self._count(size)
        return super().read(size)

    def readline(self) -> bytes:
        """Read a line. Raises `NotSupported` if it exceeds the limit of the session."""
        line = super().readline()
        self._count(len(line) + LINE_OVERHEAD)
        literal = _LITERAL.search(line)
        if literal is not None and len(literal[1]) > _MAX_DIGITS:
            raise _too_much()
        return line

    def _count(self, size: int) -> None:
        self._received += size
        if self._received > MAX_SESSION_BYTES:
            raise _too_much()


class _PlainConnection(_BoundedReads, IMAP4WithTimeout):
    pass


class _TlsConnection(_BoundedReads, IMAP4_TLS):
    pass


class BoundedIMAPClient(IMAPClient):
    """An `IMAPClient` that reads at most `MAX_SESSION_BYTES` from its server."""

    def _create_IMAP4(self) -> imaplib.IMAP4:  # noqa: N802  overrides a method of imapclient
        if self.ssl:
            # mypy only knows the arguments of imaplib, because imapclient has no types.
            context = self.ssl_context
            return _TlsConnection(self.host, self.port, context, self._timeout.connect)  # type: ignore[call-arg]
        return _PlainConnection(self.host, self.port, self._timeout.connect)


def _too_much() -> NotSupported:
    return NotSupported(
        f"The mail server sent more than {MAX_SESSION_BYTES // 1024**2} MB at once.",
        meaning="Patchbay closed the connection because that much data doesn't fit into memory.",
        todo="Check the mail server's address.",
    )
