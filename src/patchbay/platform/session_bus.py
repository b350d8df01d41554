"""Services on the session bus of the desktop (D-Bus, on Linux), with the signals that they send."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from patchbay.domain.errors import NotSupported
from patchbay.domain.records import record

if TYPE_CHECKING:
    from jeepney import DBusAddress, MatchRule, Message
    from jeepney.io.asyncio import DBusRouter

CONNECT_SECONDS = 5.0


@record
class BusService:
    """A service that was found on the bus. Its signals arrive in `signals`."""

    address: "DBusAddress"
    router: "DBusRouter"
    signals: "asyncio.Queue[Message]"
    time_limit: asyncio.Timeout

    async def call(self, method: str, signature: str | None = None, *values: object) -> tuple[object, ...]:
        """Call a method and return its results."""
        from jeepney import new_method_call
        from jeepney.wrappers import unwrap_msg

        message = new_method_call(self.address, method, signature, values)
        results: tuple[object, ...] = unwrap_msg(await self.router.send_and_get_reply(message))
        return results

    def end_time_limit(self) -> None:
        """Let the block take as long as it needs: the service has responded."""
        self.time_limit.reschedule(None)


@asynccontextmanager
async def bus_service(
    address: "DBusAddress", rule: "MatchRule", unavailable: NotSupported
) -> AsyncIterator[BusService]:
    """A service, with the signals that match the rule.

    Raises `unavailable` if it doesn't respond as expected, or if the block takes too long before
    `end_time_limit`.
    """
    # Imported here, because most windows never use the bus.
    from jeepney import DBusErrorResponse, message_bus
    from jeepney.io.asyncio import open_dbus_router
    from jeepney.io.common import RouterClosed
    from jeepney.wrappers import unwrap_msg

    try:
        async with asyncio.timeout(CONNECT_SECONDS) as time_limit, open_dbus_router() as router:
            unwrap_msg(await router.send_and_get_reply(message_bus.AddMatch(rule)))
            with router.filter(rule, queue=asyncio.Queue()) as signals:
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
