"""HTTP/1.1 connections with limits on time, size, and CPU per client, on top of uvicorn.

`HttpProtocol` has what doesn't depend on the parser; `httptools_protocol` and `h11_protocol` add a parser.
"""

import asyncio
import heapq
from abc import abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar

from starlette.responses import Response
from uvicorn.protocols.http.flow_control import FlowControl

from patchbay.domain.errors import Unreachable, ValidationFailed
from patchbay.server.connection_limits import (
    DEFAULT_LIMITS,
    ConnectionLimits,
    majority_network,
    network_of,
)
from patchbay.server.errors import error_response
from patchbay.server.middleware import add_security_headers

SLICE_BYTES = 8 * 1024
"""Bytes parsed in one turn of the event loop. Parsing tiny chunks takes longer than receiving them."""
MAX_TINY_CHUNKS = 1000
"""Chunks of a body from which on they must hold `TINY_CHUNK_BYTES` bytes on average."""
TINY_CHUNK_BYTES = 64
_BATCH_SECONDS = 0.1
"""How long connections that were picked to be closed stay the ones to close."""
LINGER_SECONDS = 2.0
LINGER_LENGTH = 32 * 1024 * 1024
"""Bytes that are discarded after an error response. Beyond that, the client may lose the response."""

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as UvicornProtocol
else:
    UvicornProtocol = asyncio.Protocol


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
        """Buffer and parse data from the socket."""
        self._pending += data
        if self._next_turn is None:
            self._feed_slice()

    def put_back(self, data: bytes) -> None:
        """Return bytes that can't be parsed yet, and stop until `resume_reading`."""
        self._pending[:0] = data
        self.pause_reading()

    def resume_reading(self) -> None:
        """Called when the application wants more; buffered bytes come first."""
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


class LingeringTransport:
    """A transport that closes in two steps while `is_receiving`: first for writing, later for reading.

    Closing a socket while data arrives resets it, and a reset can destroy a response that the client hasn't
    read yet. So data the client still sends is discarded unparsed, for a short time and up to a limit.
    Everything else is passed on to the transport as it is.
    """

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, is_receiving: Callable[[], bool]
    ) -> None:
        self._transport = transport
        self._loop = loop
        self._is_receiving = is_receiving
        self._discard_allowance = LINGER_LENGTH
        self._close_timer: asyncio.TimerHandle | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    @property
    def is_lingering(self) -> bool:
        """Whether the connection is open only so that the client can read the last response."""
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
        """Close without letting the client read the response, to free the connection for another client."""
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


class HttpProtocol(UvicornProtocol):
    """uvicorn's HTTP/1.1 connection, which also closes connections of clients that only hold them open.

    Subclasses add uvicorn's protocol for a parser as their second base, and `_feed` and `_is_receiving`. A
    client has a limited time for the head of a request, for the rest of a body after the response, and for
    reading the response. Above the connection limit, the `dropper` picks a connection to close.
    """

    limits: ClassVar[ConnectionLimits] = DEFAULT_LIMITS
    dropper: "ClassVar[ConnectionDropper]"
    """That of the listener."""
    cycle: Any
    """The request that was received last, with its response."""
    flow: PacedReading
    _head_timer: asyncio.TimerHandle | None = None
    _send_timer: asyncio.TimerHandle | None = None
    _unread_timer: asyncio.TimerHandle | None = None
    """Timer for receiving the rest of the body after the response."""
    idle_since = 0.0
    stalled_since: float | None = None
    """When the client stopped reading the response; None if it is reading."""

    @property
    def is_responding(self) -> bool:
        """Whether a request is being processed."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def is_awaiting_body(self) -> bool:
        """Whether the body of the request has not arrived yet."""
        return self.is_responding and self.cycle.more_body and not self.cycle.response_started

    @property
    def is_spare(self) -> bool:
        """Whether the connection is idle, or its request hasn't arrived yet."""
        return not self.is_responding or self.is_awaiting_body

    @property
    def is_lingering(self) -> bool:
        """Whether the connection is closed for everything but reading the last response."""
        return self._lingering.is_lingering

    @property
    def is_closed(self) -> bool:
        """Whether the connection is closed (not just lingering)."""
        return self.transport.is_closing() and not self.is_lingering

    @cached_property
    def network(self) -> str:
        """The client's network: all addresses it could use."""
        return network_of(self.client[0]) if self.client else ""

    def is_stalled(self) -> bool:
        """Whether the client hasn't read for so long that another may take its place."""
        since = self.stalled_since
        return since is not None and self.loop.time() - since >= self.limits.stalled_seconds

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timers, or reject the connection if there are too many."""
        self._lingering = LingeringTransport(transport, self.loop, self._is_receiving)
        super().connection_made(self._lingering)  # type: ignore[arg-type]
        self.flow = PacedReading(self.transport, self.loop, self._parse)
        self.idle_since = self.loop.time()
        # Those that are being closed don't count. Finding them takes time, so the total is compared first.
        limit = self.limits.connections
        is_over_limit = len(self.connections) > limit and len(_open(self.connections)) > limit
        if is_over_limit and not self.dropper.drop_one(self.connections, newest=self):
            message = "Too many open connections."
            self.send_error(error_response(Unreachable(message, todo="Try again in a moment.")))
            self.transport.close()
            return
        self._wait_for_head(self.limits.head_seconds)

    def data_received(self, data: bytes) -> None:
        """Parse received bytes in slices."""
        if self.is_lingering:
            self._lingering.discard(data)
        else:
            self.flow.receive(data)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self.idle_since = self.loop.time()
        if self._is_receiving():
            self._unread_timer = self.loop.call_later(self.limits.unread_seconds, self.transport.abort)
        self._wait_for_head(self.limits.head_seconds + self.limits.keep_alive_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers."""
        for timer in (self._head_timer, self._send_timer, self._unread_timer):
            if timer is not None:
                timer.cancel()
        self._lingering.stop()
        self.flow.close()
        super().connection_lost(exc)

    @abstractmethod
    def _feed(self, data: bytes) -> None:
        """Parse received bytes."""

    def _parse(self, data: bytes) -> None:
        self._feed(data)
        if self._unread_timer is not None and (self.is_responding or not self._is_receiving()):
            self._unread_timer.cancel()
            self._unread_timer = None

    @abstractmethod
    def _is_receiving(self) -> bool:
        """Whether the client may still be sending the request."""

    def pause_writing(self) -> None:
        """Called when the client reads too slowly."""
        super().pause_writing()
        self.stalled_since = self.loop.time()
        self._send_timer = self.loop.call_later(self.limits.send_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Called when the client reads again."""
        self.stalled_since = None
        if self._send_timer is not None:
            self._send_timer.cancel()
            self._send_timer = None
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection without requests."""
        self.drop()

    def drop(self) -> None:
        """Close the connection, even if the client never read the last response."""
        self._lingering.close_now()

    def _wait_for_head(self, seconds: float) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
        self._head_timer = self.loop.call_later(seconds, self._on_head_timeout)

    def _on_head_timeout(self) -> None:
        if not self.is_responding and not self.transport.is_closing():
            self.drop()

    def send_error(self, response: Response) -> None:
        """Respond to a request that couldn't be parsed. The connection has to be closed afterwards."""
        response.headers["connection"] = "close"
        headers = add_security_headers(response.raw_headers, "", encrypted=False)
        phrase = HTTPStatus(response.status_code).phrase
        lines = [f"HTTP/1.1 {response.status_code} {phrase}".encode()]
        lines += [name + b": " + value for name, value in headers]
        self.transport.write(b"\r\n".join((*lines, b"", bytes(response.body))))


class ConnectionDropper:
    """Closes the least useful connections of a listener, to make room for new ones.

    Going through all connections takes milliseconds, so it picks several to close, for the next newcomers.
    """

    def __init__(self, batch: int = 1) -> None:
        self._batch = batch
        self._spare: deque[tuple[HttpProtocol, float]] = deque()
        """The next ones to close, and since when they are idle."""
        self._valid_until = 0.0

    def drop_one(self, connections: Iterable[object], newest: object = None) -> bool:
        """Close the least useful connection but the newest; False if all are being served and read.

        First those that only linger, then those that are idle or whose request hasn't arrived yet: of the
        network that has more than half of them, so that it can't crowd out others. Otherwise one whose client
        doesn't read its response, from the network with the most connections.
        """
        now = asyncio.get_running_loop().time()
        if now > self._valid_until:
            self._spare.clear()
        while self._spare:
            item, idle_since = self._spare.popleft()
            if item.is_spare and not item.is_closed and item.idle_since == idle_since:
                item.drop()
                return True
        others = [item for item in _open(connections) if item is not newest]
        if spare := _least_needed(others, self._batch):
            spare[0].drop()
            self._spare.extend((item, item.idle_since) for item in spare[1:])
            self._valid_until = now + _BATCH_SECONDS
            return True
        return _drop_stalled(others)


def _least_needed(connections: Sequence[HttpProtocol], number: int) -> list[HttpProtocol]:
    """The connections to close first, of those without a complete request: so many, or one in four."""
    # Idle ones don't go before slow ones: a new connection is idle, too, and must get its turn.
    spare = [item for item in connections if item.is_spare]
    majority = majority_network(item.network for item in spare)
    return heapq.nsmallest(
        max(1, min(number, len(spare) // 4)),
        spare,
        key=lambda item: (
            not item.is_lingering,
            majority not in (None, item.network),
            item.idle_since,
        ),
    )


def _drop_stalled(connections: Sequence[HttpProtocol]) -> bool:
    stalled = [item for item in connections if item.is_stalled()]
    if not stalled:
        return False
    stalled_by_network = Counter(item.network for item in stalled)
    min(stalled, key=lambda item: (-stalled_by_network[item.network], item.stalled_since or 0.0)).drop()
    return True


def _open(connections: Iterable[object]) -> list[HttpProtocol]:
    return [item for item in connections if isinstance(item, HttpProtocol) and not item.is_closed]


def bad_request_response(status: int, detail: str) -> Response:
    """The response to a request that isn't valid HTTP."""
    message = f"The request isn't valid HTTP: {detail}."
    if status == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
        message = "The request line and the headers are too long."
    elif status == HTTPStatus.NOT_IMPLEMENTED:
        message = "The request's transfer encoding isn't supported."
    return error_response(ValidationFailed({"general": [message]}, happened=message), status)


def too_many_chunks_response() -> Response:
    """The response to a chunked body that consists of tiny chunks, which take far longer to parse."""
    message = "The request body is split into too many tiny chunks."
    error = ValidationFailed({"general": [message]}, happened=message, todo="Send the body in larger chunks.")
    return error_response(error, HTTPStatus.BAD_REQUEST)
