"""How many bytes a database server may send in one session.

Drivers buffer a whole message of any size, before anything is decoded that a step could limit.
"""

MAX_SESSION_BYTES = 64 * 1024 * 1024
"""Several times what a step keeps of a result (`server.MAX_SIZE`), as a server may send more than is kept."""
MESSAGE_OVERHEAD = 256
"""Bytes counted for each message on top of its length: the smallest take a multiple of it in memory."""


class TooMuchReceived(Exception):
    """The server sent or announced more than it may."""


class ReceivedBytes:
    """Counts what the server sends in one session."""

    def __init__(self) -> None:
        self._total = 0

    def count(self, size: int) -> None:
        """Add a message as soon as its length is known. Raises `TooMuchReceived` beyond the limit."""
        self._total += size + MESSAGE_OVERHEAD
        if self._total > MAX_SESSION_BYTES:
            raise TooMuchReceived(f"more than {MAX_SESSION_BYTES} bytes")
