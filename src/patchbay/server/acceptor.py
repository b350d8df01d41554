"""Accepts connections one after the other, and waits while the system has no file descriptors left.

asyncio's own server tries up to `backlog` times at once when a descriptor is missing, logs each failure with
its traceback and schedules as many new attempts: 120 connections too many take a whole processor.
"""

import asyncio
import contextlib
import errno
import logging
import socket
import ssl
from collections.abc import Callable

log = logging.getLogger(__name__)

_NO_RESOURCES = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
_INITIAL_PAUSE, _MAX_PAUSE = 0.05, 1.0
"""Seconds between attempts while nothing can be accepted; doubled each time."""

ProtocolFactory = Callable[[], asyncio.Protocol]


class Acceptor:
    """Hands the connections of a listening socket to protocols, encrypted when `tls` is given.

    `make_room` is called when there is no descriptor for a newcomer, to close a connection to spare. Of the
    callers that haven't agreed on the encryption yet, `max_handshakes` are kept; the oldest gives way.
    """

    def __init__(
        self, sock: socket.socket, protocols: ProtocolFactory, make_room: Callable[[], object],
        tls: ssl.SSLContext | None = None, handshake_seconds: float | None = None, max_handshakes: int = 200,
    ) -> None:  # fmt: skip
        sock.setblocking(False)
        self._sock, self._protocols, self._make_room = sock, protocols, make_room
        self._tls, self._handshake_seconds = tls, handshake_seconds
        self._max_handshakes = max_handshakes
        self._handshakes: dict[asyncio.Task[None], None] = {}
        self._accepting = asyncio.create_task(self._accept(), name="patchbay-accept")

    def close(self) -> None:
        """Accept nothing new; connections that are there stay."""
        self._accepting.cancel()
        for task in tuple(self._handshakes):
            task.cancel()

    async def wait_closed(self) -> None:
        await asyncio.gather(self._accepting, *self._handshakes, return_exceptions=True)

    async def _accept(self) -> None:
        pause = _INITIAL_PAUSE
        while True:
            try:
                await self._accept_one()
            except OSError as error:
                log.warning("No connection can be accepted: %s", error.strerror)
            except Exception:
                log.exception("Accepting a connection failed")  # the next one may succeed
            else:
                pause = _INITIAL_PAUSE
                # Accepting at once doesn't wait, and others have a turn between two callers.
                await asyncio.sleep(0)
                continue
            await asyncio.sleep(pause)
            pause = min(2 * pause, _MAX_PAUSE)

    async def _accept_one(self) -> None:
        try:
            connection, _ = await asyncio.get_running_loop().sock_accept(self._sock)
        except ConnectionError:  # the caller is gone already; those behind it must not wait for that
            return
        except OSError as error:
            if error.errno in _NO_RESOURCES:
                self._make_room()
            raise
        self._start_handshake(connection)

    def _start_handshake(self, connection: socket.socket) -> None:
        task = asyncio.create_task(self._handshake(connection))
        self._handshakes[task] = None
        task.add_done_callback(lambda done: self._handshakes.pop(done, None))
        if len(self._handshakes) > self._max_handshakes:
            next(iter(self._handshakes)).cancel()

    async def _handshake(self, connection: socket.socket) -> None:
        """Make a connection ready for its first request. What fails before that is the caller's alone."""
        with contextlib.suppress(OSError, EOFError):
            await asyncio.get_running_loop().connect_accepted_socket(
                self._protocols, connection, ssl=self._tls, ssl_handshake_timeout=self._handshake_seconds
            )
