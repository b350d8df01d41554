"""Reading requests at a bounded pace, so that no caller keeps the event loop busy with a single packet."""

import asyncio
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.flow_control import FlowControl

SLICE_BYTES = 8 * 1024
"""Bytes parsed in one turn of the event loop. Parsing tiny chunks takes longer than receiving them."""
MAX_TINY_CHUNKS = 1000
"""Chunks of a body from which on they must hold `TINY_CHUNK_BYTES` bytes on average."""
TINY_CHUNK_BYTES = 64


class TooManyChunks(h11.RemoteProtocolError):
    """A chunked body consists of tiny chunks, which cost far more to parse than they carry."""


class BoundedConnection(h11.Connection):
    """h11's parser, which also refuses bodies that are sent in a great many tiny chunks."""

    def __init__(self, max_incomplete_event_size: int) -> None:
        super().__init__(h11.SERVER, max_incomplete_event_size)
        self._chunks = self._length = 0

    def next_event(self) -> Any:
        """As h11's. Raises `TooManyChunks`, too."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._chunks = self._length = 0
        elif isinstance(event, h11.Data):
            self._chunks += event.chunk_end
            self._length += len(event.data)
            if self._chunks > MAX_TINY_CHUNKS and self._length < self._chunks * TINY_CHUNK_BYTES:
                raise TooManyChunks("the body is split into too many tiny chunks")
        return event


class PacedReading(FlowControl):
    """Hands received bytes to `feed` one slice per turn of the event loop, and reads no more meanwhile.

    The socket is read only while both the application wants more and everything received has been parsed.
    """

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, feed: Callable[[bytes], None]
    ) -> None:
        super().__init__(transport)
        self._loop, self._feed = loop, feed
        self._pending = bytearray()
        self._next_turn: asyncio.Handle | None = None

    def receive(self, data: bytes) -> None:
        """Take what came from the socket."""
        self._pending += data
        if self._next_turn is None:
            self._feed_slice()

    def resume_reading(self) -> None:
        """Called when the application wants more; bytes that wait here come first."""
        if not self.read_paused:
            return
        self.read_paused = False
        self._continue()

    def close(self) -> None:
        """Drop what hasn't been parsed: the connection is lost."""
        self._pending.clear()
        if self._next_turn is not None:
            self._next_turn.cancel()
            self._next_turn = None

    def _feed_slice(self) -> None:
        self._next_turn = None
        if self._transport.is_closing():
            self._pending.clear()
        elif not self.read_paused:
            part = bytes(self._pending[:SLICE_BYTES])
            del self._pending[:SLICE_BYTES]
            self._feed(part)
        self._continue()

    def _continue(self) -> None:
        if self._transport.is_closing():
            return
        if not self._pending and not self.read_paused:
            self._transport.resume_reading()
            return
        self._transport.pause_reading()
        if self._pending and not self.read_paused and self._next_turn is None:
            self._next_turn = self._loop.call_soon(self._feed_slice)
