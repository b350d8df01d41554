"""The portal of the desktop (xdg-desktop-portal): what only the desktop itself may do, as on Wayland."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from patchbay.domain.errors import NotSupported
from patchbay.platform.session_bus import BusService, SignalsEnded, bus_service

if TYPE_CHECKING:
    from jeepney import MatchRule

Variant: TypeAlias = tuple[str, object]
"""A D-Bus value with its signature."""
PORTAL_ENDED = "NameOwnerChanged"
"""The name of the signal for the end of the portal, or of the bus."""
_BUS = "org.freedesktop.DBus"
_NAME, _PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"


class Portal:
    """An interface of the portal, on a connection of its own: its end is the end of the portal's sessions."""

    def __init__(self, service: BusService, unavailable: NotSupported) -> None:
        self._service, self._unavailable = service, unavailable

    def end_time_limit(self) -> None:
        """Let the block take as long as it needs."""
        self._service.end_time_limit()

    async def request(
        self, method: str, signature: str, *values: object, seconds: float, **options: Variant
    ) -> tuple[int, Mapping[str, Variant]]:
        """Call a method to which the desktop responds later, and return the code and results of the response.

        The code is 0 if the desktop did it. Raises `TimeoutError` if there is no response within `seconds`,
        `NotSupported` if the portal ends, and `DBusErrorResponse` if it rejects the call.
        """
        given = {"handle_token": ("s", request_token()), **options}
        async with asyncio.timeout(seconds):
            (request,) = await self._service.call(method, signature, *values, given)
            while True:
                path, name, body = await self.next_signal()
                if name == PORTAL_ENDED:
                    raise self._unavailable
                if name == "Response" and path == request:
                    code, results = body
                    return code, results if isinstance(results, dict) else {}

    async def next_signal(self) -> tuple[str, str, tuple[Any, ...]]:
        """Path, name, and content of the next signal of the portal, or of `PORTAL_ENDED`."""
        from jeepney import HeaderFields

        try:
            signal = await self._service.signals.get()
        except SignalsEnded:
            return _PATH, PORTAL_ENDED, ()
        fields = signal.header.fields
        return str(fields.get(HeaderFields.path)), str(fields.get(HeaderFields.member)), signal.body


@asynccontextmanager
async def desktop_portal(interface: str, unavailable: NotSupported) -> AsyncIterator[Portal]:
    """An interface of the portal. Raises `unavailable` if it is missing, or as `bus_service`."""
    # Imported here, because most windows never use the portal.
    from jeepney import DBusAddress, HeaderFields, MatchRule, Properties
    from jeepney.wrappers import unwrap_msg

    address = DBusAddress(_PATH, bus_name=_NAME, interface=f"org.freedesktop.portal.{interface}")
    async with bus_service(address, unavailable) as service:
        # Fails without this interface. The sender is the unique name by which its signals are known.
        reply = await service.router.send_and_get_reply(Properties(address).get("version"))
        unwrap_msg(reply)
        owner = reply.header.fields[HeaderFields.sender]
        signals = MatchRule(type="signal", sender=owner, path_namespace=_PATH)
        async with service.subscribed(signals), service.subscribed(_ends_of_portal()):
            yield Portal(service, unavailable)


def request_token() -> str:
    """An unused name for a request or a session."""
    return f"patchbay_{secrets.token_hex(8)}"


def _ends_of_portal() -> "MatchRule":
    from jeepney import MatchRule

    rule = MatchRule(type="signal", sender=_BUS, member=PORTAL_ENDED)
    rule.add_arg_condition(0, _NAME)
    return rule
