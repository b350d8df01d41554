"""One connection: uvicorn's HTTP/1.1, which also gives up callers that only hold it open."""

import asyncio
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any, ClassVar

import h11
from starlette.responses import Response
from uvicorn.protocols.http.h11_impl import H11Protocol

from patchbay.domain.errors import Unreachable, ValidationFailed
from patchbay.server.failures import error_response
from patchbay.server.limits import DEFAULT_LIMITS, ConnectionLimits
from patchbay.server.lingering import LingeringTransport
from patchbay.server.reading import BoundedConnection, PacedReading, TooManyChunks
from patchbay.server.secure import add_security_headers
from patchbay.server.throttle import network_of

_BAD_REQUEST = 400
_HEADERS_TOO_LARGE = 431
_SEVERAL_ENCODINGS = 501


class HttpProtocol(H11Protocol):
    """A caller has a limited time for the head of a request, for the rest of a body after the response, and
    for reading the response.

    When there are more connections than wanted, `drop_least_needed` says which one makes room.
    """

    limits: ClassVar[ConnectionLimits] = DEFAULT_LIMITS
    _head_timer: asyncio.TimerHandle | None = None
    _send_timer: asyncio.TimerHandle | None = None
    _unread_timer: asyncio.TimerHandle | None = None
    """Runs while the body of a request still arrives that was answered already."""
    idle_since = 0.0
    stalled_since: float | None = None
    """Since when the caller has read nothing of a response that waits for it."""

    @property
    def is_responding(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def is_awaiting_body(self) -> bool:
        """Whether the body of the request has not arrived yet."""
        return self.is_responding and self.cycle.more_body and not self.cycle.response_started

    @property
    def is_lingering(self) -> bool:
        """Whether the connection is closed for everything but reading the last response."""
        return self._lingering.is_lingering

    @property
    def is_closed(self) -> bool:
        """Whether it takes no place any more, which one that lingers still does."""
        return self.transport.is_closing() and not self.is_lingering

    @property
    def network(self) -> str:
        """The network of the caller, as far as a caller can choose addresses in it."""
        return network_of(self.client[0]) if self.client else ""

    def is_stalled(self) -> bool:
        """Whether the caller has read nothing for so long that another may take its place."""
        since = self.stalled_since
        return since is not None and self.loop.time() - since >= self.limits.stalled_seconds

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._lingering = LingeringTransport(transport, self.loop, self._is_receiving)
        super().connection_made(self._lingering)  # type: ignore[arg-type]
        self.conn = BoundedConnection(self.limits.head_length)
        self.flow: PacedReading = PacedReading(self.transport, self.loop, self._parse)
        self.idle_since = self.loop.time()
        if self._is_over_limit() and not self._make_room():
            self._reject_overload()
            return
        self._wait_for_head(self.limits.head_seconds)

    def data_received(self, data: bytes) -> None:
        if self.is_lingering:
            self._lingering.discard(data)
        else:
            self.flow.receive(data)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.idle_since = self.loop.time()
        if self._is_receiving():
            self._unread_timer = self.loop.call_later(self.limits.unread_seconds, self.transport.abort)
        self._wait_for_head(self.limits.head_seconds + self.limits.keep_alive_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._head_timer, self._send_timer, self._unread_timer):
            if timer is not None:
                timer.cancel()
        self._lingering.stop()
        self.flow.close()
        super().connection_lost(exc)

    def _parse(self, data: bytes) -> None:
        super().data_received(data)
        if self._unread_timer is not None and (self.is_responding or not self._is_receiving()):
            self._unread_timer.cancel()
            self._unread_timer = None

    def _is_receiving(self) -> bool:
        """Whether the caller may still be sending the request."""
        return self.conn.their_state in (h11.SEND_BODY, h11.ERROR)

    def pause_writing(self) -> None:
        super().pause_writing()
        self.stalled_since = self.loop.time()
        self._send_timer = self.loop.call_later(self.limits.send_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        self.stalled_since = None
        if self._send_timer is not None:
            self._send_timer.cancel()
            self._send_timer = None
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        self.drop()

    def drop(self) -> None:
        """End the connection, also when the caller never took the last answer."""
        self._lingering.close_now()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, in the form of every other error."""
        error = sys.exception()
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        has_started = self.is_responding and self.cycle.response_started
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE) and not has_started:
            if self.is_responding:  # the head was good, and what follows is not
                self.cycle.disconnected = True
                self.cycle.message_event.set()
            self._send(
                _too_many_chunks_response()
                if isinstance(error, TooManyChunks)
                else _bad_request_response(status, str(error))
            )
        self.transport.close()

    def _wait_for_head(self, seconds: float) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
        self._head_timer = self.loop.call_later(seconds, self._on_head_timeout)

    def _on_head_timeout(self) -> None:
        if not self.is_responding and not self.transport.is_closing():
            self.drop()

    def _is_over_limit(self) -> bool:
        """Whether there are more than wanted, without those that are being closed already."""
        if len(self.connections) <= self.limits.connections:
            return False
        return len(_open(self.connections)) > self.limits.connections

    def _make_room(self) -> bool:
        return drop_least_needed(item for item in self.connections if item is not self)

    def _reject_overload(self) -> None:
        message = "Too many open connections."
        self._send(error_response(Unreachable(message, todo="Try again in a moment.")), raw=True)
        self.transport.close()

    def _send(self, answer: Response, *, raw: bool = False) -> None:
        """An answer to what is no request. `raw`: nothing was asked yet, which h11 does not know of."""
        answer.headers["connection"] = "close"
        headers = add_security_headers(answer.raw_headers, "", encrypted=False)
        conn = h11.Connection(h11.SERVER) if raw else self.conn
        if raw:
            conn.receive_data(b"GET / HTTP/1.0\r\n\r\n")
            conn.next_event()
        events: list[Any] = [
            h11.Response(status_code=answer.status_code, headers=headers), h11.Data(data=bytes(answer.body)),
            h11.EndOfMessage(),
        ]  # fmt: skip
        self.transport.write(b"".join(conn.send(event) or b"" for event in events))


def drop_least_needed(connections: Iterable[object]) -> bool:
    """End the connection that can be spared best; False when all are being answered and read.

    First those that only linger, then those that are idle or whose request hasn't arrived yet. Otherwise a
    caller that doesn't read its response, of the network that has the most of them.
    """
    open_connections = _open(connections)
    # Idle ones do not go before those that dawdle: who has just come is idle, too, and is to be heard.
    spare = [item for item in open_connections if not item.is_responding or item.is_awaiting_body]
    if spare:
        min(spare, key=lambda item: (not item.is_lingering, item.idle_since)).drop()
        return True
    stalled = [item for item in open_connections if item.is_stalled()]
    if not stalled:
        return False
    stalled_by_network = Counter(item.network for item in stalled)
    min(stalled, key=lambda item: (-stalled_by_network[item.network], item.stalled_since or 0.0)).drop()
    return True


def _open(connections: Iterable[object]) -> list[HttpProtocol]:
    return [item for item in connections if isinstance(item, HttpProtocol) and not item.is_closed]


def _bad_request_response(status: int, detail: str) -> Response:
    message = f"The request is not HTTP that is understood here: {detail}."
    if status == _HEADERS_TOO_LARGE:
        message = "The request line and the headers are too long."
    elif status == _SEVERAL_ENCODINGS:
        message = "The transfer encoding of the request is not offered."
    return error_response(ValidationFailed({"general": [message]}, happened=message), status)


def _too_many_chunks_response() -> Response:
    message = "The request body is split into too many tiny chunks."
    error = ValidationFailed({"general": [message]}, happened=message, todo="Send the body in larger chunks.")
    return error_response(error, _BAD_REQUEST)
