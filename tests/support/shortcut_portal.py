"""The portal by which a desktop notifies programs of hot keys, on the session bus of a test."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.support.patience import PATIENCE

jeepney = pytest.importorskip("jeepney")
from jeepney.io.asyncio import DBusRouter, open_dbus_connection  # noqa: E402

NAME, PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"


class Portal:
    """The portal of a desktop: it notes the sessions, and presses keys as a test says."""

    def __init__(self, bus: DBusRouter) -> None:
        self._bus = bus
        self.bound: list[dict[str, str]] = []
        """The preferred triggers of each session, by the IDs of the shortcuts."""
        self.declined: set[str] = set()
        self.code: int | None = 0
        """The response to shortcuts: 1 if they are declined; None if there is no response."""
        self.error = ""
        """What it says when it rejects all shortcuts."""
        self.session = ""
        self.has_bound = asyncio.Event()

    async def serve(self) -> None:
        rule = jeepney.MatchRule(type="method_call", path=PATH)
        with self._bus.filter(rule, queue=asyncio.Queue()) as calls:
            while True:
                await self._handle(await calls.get())

    async def _handle(self, call: Any) -> None:
        match call.header.fields[jeepney.HeaderFields.member]:
            case "Get":
                await self._bus.send(jeepney.new_method_return(call, "v", (("u", 1),)))
            case "CreateSession":
                self.session = f"{PATH}/session/1_7/{call.body[0]['session_handle_token'][1]}"
                await self._respond(call, 0, {"session_handle": ("s", self.session)})
            case "BindShortcuts" if self.error:
                name = "org.freedesktop.portal.Error.NotAllowed"
                await self._bus.send(jeepney.new_error(call, name, "s", (self.error,)))
            case "BindShortcuts":
                assert call.body[0] == self.session
                wanted = {key: more["preferred_trigger"][1] for key, more in call.body[1]}
                self.bound.append(wanted)
                kept: list[tuple[str, dict[str, object]]]
                kept = [(key, {}) for key in wanted if key not in self.declined]
                await self._respond(call, self.code, {"shortcuts": ("a(sa{sv})", kept)})
                self.has_bound.set()

    async def _respond(self, call: Any, code: int | None, results: dict[str, Any]) -> None:
        request = f"{PATH}/request/1_7/{call.body[-1]['handle_token'][1]}"
        await self._bus.send(jeepney.new_method_return(call, "o", (request,)))
        if code is None:
            return
        emitter = jeepney.DBusAddress(request, interface="org.freedesktop.portal.Request")
        await self._bus.send(jeepney.new_signal(emitter, "Response", "ua{sv}", (code, results)))

    async def signal(self, name: str, shortcut: str, session: str = "") -> None:
        emitter = jeepney.DBusAddress(PATH, interface=SHORTCUTS)
        body: tuple[object, ...] = (session or self.session, shortcut, 7, {})
        await self._bus.send(jeepney.new_signal(emitter, name, "osta{sv}", body))

    async def press(self, shortcut: str) -> None:
        await self.signal("Activated", shortcut)
        await self.signal("Deactivated", shortcut)

    async def close_session(self) -> None:
        emitter = jeepney.DBusAddress(self.session, interface="org.freedesktop.portal.Session")
        await self._bus.send(jeepney.new_signal(emitter, "Closed", None, ()))


@asynccontextmanager
async def running_portal(address: str = "SESSION", seconds: float = PATIENCE) -> AsyncIterator[Portal]:
    """A portal on the bus at this address, for at most so many seconds."""
    # Not `open_dbus_router`, which leaves its connection open when the bus ends.
    async with (
        asyncio.timeout(seconds),
        await open_dbus_connection(address) as connection,
        DBusRouter(connection) as bus,
    ):
        await bus.send_and_get_reply(jeepney.message_bus.RequestName(NAME))
        portal = Portal(bus)
        serving = asyncio.create_task(portal.serve())
        try:
            yield portal
        finally:
            serving.cancel()
