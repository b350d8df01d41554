"""The asyncpg driver with a limit on how much a server may send. Imported only when a connection is opened.

asyncpg has no option to choose its protocol, but it opens its sockets through the event loop it is given:
`_BoundedLoop` puts a `_BoundedProtocol` between the socket and asyncpg's own protocol.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Any, cast

import asyncpg
from asyncpg.protocol import Protocol

from patchbay.integration.sql import CONNECT_SECONDS, Login
from patchbay.integration.sql.server import ReceivedBytes, TooMuchReceived

_HEADER = 5
"""Bytes before the body of a message: its type, and its length, which includes the length itself."""
_AUTHENTICATION = b"R"
_MAX_AUTHENTICATION_BYTES = 64 * 1024
_ITERATIONS = re.compile(rb",i=0*(\d+)")
_MAX_ITERATIONS = 1_000_000
"""The limit on rounds of hashing the password, which then takes half a second. The default of servers is
4,096.
"""


async def connect(logins: Sequence[Login]) -> "asyncpg.Connection[Any]":
    """Connect to the first of these logins (same server, different addresses) that responds."""
    login = logins[0]
    return await asyncpg.connect(
        host=[each.host for each in logins],
        port=[each.port for each in logins],
        user=login.user,
        password=login.password,
        database=login.database,
        ssl=login.tls or False,
        timeout=CONNECT_SECONDS,
        statement_cache_size=0,  # a connection pooler may run each statement in another session
        server_settings={"application_name": "Patchbay"},
        loop=cast(asyncio.AbstractEventLoop, _BoundedLoop(asyncio.get_running_loop(), ReceivedBytes())),
        connection_class=_Connection,
    )


class _BoundedProtocol(asyncio.Protocol):
    """Counts each message as soon as its length is known, and aborts the connection beyond the limit.

    The driver then fails with an error that has `TooMuchReceived` among its causes. Messages of the sign-in
    are passed on whole, because hashing the password as often as a server likes would block the event loop.
    """

    def __init__(
        self, inner: asyncio.Protocol, received: ReceivedBytes, transport: asyncio.Transport | None = None
    ) -> None:
        self.inner = inner
        self._received = received
        self._transport = transport
        self._pending = b""
        """The beginning of an incomplete message."""
        self._unread = 0
        """How many bytes are missing of a message that was passed on in part."""
        self._abort_reason: Exception | None = None
        """The reason the connection was aborted."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self._abort_reason is not None:
            return
        data = self._pending + data
        try:
            end = self._count_messages(data)
        except (TooMuchReceived, ConnectionError) as error:
            self._abort_reason = error
            if self._transport is not None:
                self._transport.abort()
            return
        self._pending = data[end:]
        if end:
            self.inner.data_received(data[:end])

    def eof_received(self) -> bool | None:
        return self.inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self.inner.connection_lost(self._abort_reason or exc)

    def pause_writing(self) -> None:
        self.inner.pause_writing()

    def resume_writing(self) -> None:
        self.inner.resume_writing()

    def _count_messages(self, data: bytes) -> int:
        """How many of these bytes can be passed on."""
        position = self._unread
        while len(data) - position >= _HEADER:
            end = position + 1 + int.from_bytes(data[position + 1 : position + _HEADER], "big")
            if data[position : position + 1] == _AUTHENTICATION:
                if end - position > _MAX_AUTHENTICATION_BYTES:
                    raise ConnectionAbortedError("the server sent a sign-in message with an invalid length")
                if end > len(data):
                    break
                found = _ITERATIONS.search(data[position + _HEADER : end])
                if found and (len(found[1]) > len(str(_MAX_ITERATIONS)) or int(found[1]) > _MAX_ITERATIONS):
                    raise ConnectionAbortedError("the server requires too many password hashing iterations")
            self._received.count(end - position)
            position = max(end, position + _HEADER)
        self._unread = max(position - len(data), 0)
        return min(position, len(data))


class _TlsTransport:
    """The transport of an encrypted connection, to which asyncpg attaches its protocol only later."""

    def __init__(self, transport: asyncio.Transport, received: ReceivedBytes) -> None:
        self._inner = transport
        self._received = received

    def set_protocol(self, protocol: asyncio.Protocol) -> None:
        self._inner.set_protocol(_BoundedProtocol(protocol, self._received, self._inner))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _BoundedLoop:
    """The running event loop with limited connections."""

    def __init__(self, loop: asyncio.AbstractEventLoop, received: ReceivedBytes) -> None:
        self.running = loop
        self._received = received

    async def create_connection(
        self, factory: Callable[[], asyncio.Protocol], *address: Any, **options: Any
    ) -> tuple[asyncio.Transport, asyncio.Protocol]:
        def bounded() -> asyncio.Protocol:
            protocol_made = factory()
            # The others only request encryption or a cancellation, and store nothing that they receive.
            return (
                _BoundedProtocol(protocol_made, self._received)
                if isinstance(protocol_made, Protocol)
                else protocol_made
            )

        transport, protocol = await self.running.create_connection(bounded, *address, **options)
        return transport, protocol.inner if isinstance(protocol, _BoundedProtocol) else protocol

    async def start_tls(self, *given: Any, **options: Any) -> _TlsTransport | None:
        transport = await self.running.start_tls(*given, **options)
        return _TlsTransport(transport, self._received) if transport is not None else None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.running, name)


class _Connection(asyncpg.Connection):
    """Delegates to the running event loop, by which asyncio knows its tasks.

    A connection that it opens later only carries a request to cancel a statement, and its responses are
    ignored.
    """

    def __init__(self, protocol: Any, transport: Any, loop: Any, *more: Any) -> None:
        super().__init__(protocol, transport, loop.running, *more)
