"""HTTP/1.1 connections with h11, which is pure Python, for platforms without httptools."""

import sys
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from patchbay.server.http_protocol import (
    MAX_TINY_CHUNKS,
    TINY_CHUNK_BYTES,
    HttpProtocol,
    bad_request_response,
    too_many_chunks_response,
)


class TooManyChunks(h11.RemoteProtocolError):
    """A chunked body consists of tiny chunks, which cost far more to parse than they carry."""


class BoundedConnection(h11.Connection):
    """h11's parser, which also rejects bodies that are split into a great many tiny chunks."""

    def __init__(self, max_incomplete_event_size: int) -> None:
        super().__init__(h11.SERVER, max_incomplete_event_size)
        self._chunks = self._length = 0

    def next_event(self) -> Any:
        """Like h11's. Also raises `TooManyChunks`."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._chunks = self._length = 0
        elif isinstance(event, h11.Data):
            self._chunks += event.chunk_end
            self._length += len(event.data)
            if self._chunks > MAX_TINY_CHUNKS and self._length < self._chunks * TINY_CHUNK_BYTES:
                raise TooManyChunks("the body is split into too many tiny chunks")
        return event


class H11HttpProtocol(HttpProtocol, H11Protocol):  # type: ignore[misc]  # declared for the other parser
    """A connection that is parsed by h11."""

    def connection_made(self, transport: Any) -> None:
        self.conn: h11.Connection = BoundedConnection(self.limits.head_length)
        super().connection_made(transport)

    def _feed(self, data: bytes) -> None:
        H11Protocol.data_received(self, data)

    def _is_receiving(self) -> bool:
        return self.conn.their_state in (h11.SEND_BODY, h11.ERROR)

    def send_400_response(self, msg: str) -> None:
        """Respond to a malformed request in the format of every other error."""
        error = sys.exception()
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        has_started = self.is_responding and self.cycle.response_started
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE) and not has_started:
            if self.is_responding:  # the head was valid, the body isn't
                self.cycle.disconnected = True
                self.cycle.message_event.set()
            too_many = isinstance(error, TooManyChunks)
            self.send_error(
                too_many_chunks_response() if too_many else bad_request_response(status, str(error))
            )
        self.transport.close()
