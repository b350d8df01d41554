"""Closes a connection in such a way that a caller who is still sending can read the response first."""

import asyncio
from collections.abc import Callable
from typing import Any

LINGER_SECONDS = 2.0
LINGER_LENGTH = 32 * 1024 * 1024
"""Bytes that are thrown away after a refusal. Beyond that, the caller may lose the response."""


class LingeringTransport:
    """A transport that closes in two steps while `is_receiving`: first for writing, later for reading.

    Closing a socket while data arrives resets it, and a reset can destroy a response that the caller hasn't
    read yet. So what the caller still sends is thrown away unparsed, for a short time and up to a limit.
    Everything else is passed on to the transport as it is.
    """

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, is_receiving: Callable[[], bool]
    ) -> None:
        self._transport, self._loop, self._is_receiving = transport, loop, is_receiving
        self._discard_allowance = LINGER_LENGTH
        self._close_timer: asyncio.TimerHandle | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    @property
    def is_lingering(self) -> bool:
        """Whether the connection is open only so that the caller can read the last response."""
        return self._close_timer is not None and not self._transport.is_closing()

    def is_closing(self) -> bool:
        """Whether nothing more is written or parsed: the connection lingers, or is closed."""
        return self._close_timer is not None or self._transport.is_closing()

    def close(self) -> None:
        """Close, at the latest after `LINGER_SECONDS`."""
        if self.is_closing():
            return
        if not self._is_receiving():
            self._transport.close()
            return
        self._close_timer = self._loop.call_later(LINGER_SECONDS, self._transport.abort)
        if self._transport.can_write_eof():  # not with TLS
            self._transport.write_eof()
        self._transport.resume_reading()

    def close_now(self) -> None:
        """Close without a chance for the caller to read what was written; for making room."""
        if self.is_lingering or self._transport.get_write_buffer_size():
            self._transport.abort()
        else:
            self._transport.close()

    def discard(self, data: bytes) -> None:
        """Throw away what arrived since the end of the response; end the connection at the limit."""
        self._discard_allowance -= len(data)
        if self._discard_allowance < 0:
            self._transport.abort()

    def stop(self) -> None:
        """Forget the timer: the connection is lost."""
        if self._close_timer is not None:
            self._close_timer.cancel()
