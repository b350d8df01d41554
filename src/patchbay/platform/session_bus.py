"""Services on the session bus of the desktop (D-Bus, on Linux), with the signals that they send."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from patchbay.domain.errors import NotSupported
from patchbay.domain.records import record

if TYPE_CHECKING:
    from jeepney import DBusAddress, MatchRule, Message
    from jeepney.io.asyncio import DBusRouter

CONNECT_SECONDS = 5.0
MAX_UNREAD_BYTES = 1_000_000
"""Limit for the signals that were not read yet."""
_SIGNAL_BYTES = 1000
"""What a signal takes at least."""


class SignalsEnded(EOFError):
    """There are no more signals: the bus has ended, or too many signals were not read in time."""


class Signals:
    """The signals that have arrived, up to a limit. The queue of the filters of a router."""

    def __init__(self) -> None:
        self._unread: deque[Message] = deque()
        self._bytes = 0
        self._changed = asyncio.Event()
        self._end: str | None = None

    def put_nowait(self, signal: "Message") -> None:
        """Keep a signal until it is read."""
        if self._end is not None:
            return
        self._unread.append(signal)
        self._bytes += _size(signal)
        self._changed.set()
        if self._bytes > MAX_UNREAD_BYTES:
            # An error, because a dropped signal could be a response or the end of a session, for which the
            # program would wait forever. After an error, hot keys connect again, and a notification is shown
            # without the service.
            self._unread.clear()
            self.end("too many signals arrived")

    def end(self, reason: str) -> None:
        """Let `get` raise `SignalsEnded` after the signals that have arrived."""
        self._end = self._end or reason
        self._changed.set()

    async def get(self) -> "Message":
        """The next signal. Raises `SignalsEnded`."""
        while not self._unread:
            if self._end is not None:
                raise SignalsEnded(self._end)
            self._changed.clear()
            await self._changed.wait()
        signal = self._unread.popleft()
        self._bytes -= _size(signal)
        return signal


def _size(signal: "Message") -> int:
    return _SIGNAL_BYTES + int(signal.header.body_length)


@record
class BusService:
    """A service on the bus. The signals to which this subscribes arrive in `signals`."""

    address: "DBusAddress"
    router: "DBusRouter"
    signals: Signals
    time_limit: asyncio.Timeout

    async def call(self, method: str, signature: str | None = None, *values: object) -> tuple[object, ...]:
        """Call a method and return its results."""
        from jeepney import new_method_call
        from jeepney.wrappers import unwrap_msg

        message = new_method_call(self.address, method, signature, values)
        results: tuple[object, ...] = unwrap_msg(await self.router.send_and_get_reply(message))
        return results

    @asynccontextmanager
    async def subscribed(self, rule: "MatchRule") -> AsyncIterator[None]:
        """Receive the signals that match the rule while the block runs.

        Every program on the bus can send signals: a rule with the sender leaves out those of others.
        """
        from jeepney import message_bus
        from jeepney.wrappers import unwrap_msg

        unwrap_msg(await self.router.send_and_get_reply(message_bus.AddMatch(rule)))
        with self.router.filter(rule, queue=self.signals):
            yield

    def end_time_limit(self) -> None:
        """Let the block take as long as it needs: the service has responded."""
        self.time_limit.reschedule(None)


@asynccontextmanager
async def bus_service(address: "DBusAddress", unavailable: NotSupported) -> AsyncIterator[BusService]:
    """A service, on a connection of its own.

    Raises `unavailable` if it doesn't respond as expected, if the block takes too long before
    `end_time_limit`, and if the block raises `SignalsEnded`.
    """
    # Imported here, because most windows never use the bus.
    from jeepney import DBusErrorResponse
    from jeepney.io.common import RouterClosed

    signals = Signals()
    try:
        async with asyncio.timeout(CONNECT_SECONDS) as time_limit, _router(signals) as router:
            yield BusService(address=address, router=router, signals=signals, time_limit=time_limit)
    except (
        DBusErrorResponse,
        RouterClosed,
        OSError,
        RuntimeError,
        LookupError,
        ValueError,
        EOFError,
    ) as error:
        raise unavailable from error


@asynccontextmanager
async def _router(signals: Signals) -> AsyncIterator["DBusRouter"]:
    """A connection to the bus, whose end is the end of the signals.

    That of jeepney reports the end to those who wait for a reply, but not to those who wait for a signal, and
    replaces the error of the block by it.
    """
    from jeepney.io.asyncio import DBusRouter, open_dbus_connection

    connection = await open_dbus_connection()
    router = DBusRouter(connection)
    receiving: asyncio.Task[None] = router._rcv_task
    receiving.add_done_callback(lambda _: signals.end("the bus has ended"))
    try:
        yield router
    finally:
        receiving.cancel()
        await asyncio.gather(receiving, return_exceptions=True)
        with suppress(OSError):
            await connection.close()
