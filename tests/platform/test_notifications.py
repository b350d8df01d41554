"""Notifications with buttons, at a notification service on a real session bus."""

import asyncio
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.support.patience import PATIENCE

from patchbay.domain.errors import NotSupported
from patchbay.platform.notifications import CLICKED, notify

jeepney = pytest.importorskip("jeepney")
from jeepney.io.asyncio import DBusRouter, open_dbus_router  # noqa: E402

pytestmark = pytest.mark.skipif(not shutil.which("dbus-daemon"), reason="needs dbus-daemon")

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"


@pytest.fixture
def session_bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    command = ["dbus-daemon", "--session", "--nofork", "--print-address=1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as bus:
        assert bus.stdout is not None
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus.stdout.readline().strip())
        yield
        bus.terminate()


class Service:
    """A notification service that remembers what it was asked, and shows nothing."""

    def __init__(self, bus: DBusRouter, abilities: list[str]) -> None:
        self._bus, self._abilities = bus, abilities
        self.shown: asyncio.Queue[tuple[Any, ...]] = asyncio.Queue()
        self.closed: asyncio.Queue[int] = asyncio.Queue()

    async def serve(self) -> None:
        rule = jeepney.MatchRule(type="method_call", interface=NAME)
        with self._bus.filter(rule, queue=asyncio.Queue()) as calls:
            while True:
                reply: tuple[str | None, tuple[object, ...]]
                call = await calls.get()
                match call.header.fields[jeepney.HeaderFields.member]:
                    case "GetCapabilities":
                        reply = "as", (self._abilities,)
                    case "Notify":
                        reply = "u", (7,)
                    case "CloseNotification":
                        reply = None, ()
                        self.closed.put_nowait(call.body[0])
                await self._bus.send(jeepney.new_method_return(call, *reply))
                if reply[0] == "u":
                    self.shown.put_nowait(call.body)

    async def tell(self, signal: str, signature: str, *values: object) -> None:
        emitter = jeepney.DBusAddress(PATH, interface=NAME)
        await self._bus.send(jeepney.new_signal(emitter, signal, signature, values))


@asynccontextmanager
async def notification_service(*abilities: str) -> AsyncIterator[Service]:
    async with asyncio.timeout(PATIENCE), open_dbus_router() as bus:
        await bus.send_and_get_reply(jeepney.message_bus.RequestName(NAME))
        service = Service(bus, [*abilities])
        serving = asyncio.create_task(service.serve())
        yield service
        serving.cancel()


BUTTONS = {CLICKED: "Open", "Retry": "Retry"}


async def test_a_clicked_button_is_returned(session_bus: None) -> None:
    async with notification_service("actions", "body", "body-markup") as service:
        shown = asyncio.create_task(notify("“Orders” failed", "1 < 2 & no <b>", BUTTONS))
        name, _, _, title, text, actions, *_ = await service.shown.get()
        await service.tell("ActionInvoked", "us", 6, "Retry")  # of another program
        await service.tell("ActivationToken", "us", 7, "token")
        await service.tell("ActionInvoked", "us", 7, "Retry")

        assert await shown == "Retry"
    assert (name, title, text) == ("Patchbay", "“Orders” failed", "1 &lt; 2 &amp; no &lt;b&gt;")
    assert actions == ["default", "Open", "Retry", "Retry"]


async def test_a_service_without_buttons_and_markup_gets_none(session_bus: None) -> None:
    async with notification_service("body") as service:
        shown = asyncio.create_task(notify("“Orders” failed", "1 < 2", BUTTONS))
        *_, text, actions, _, _ = await service.shown.get()
        await service.tell("NotificationClosed", "uu", 7, 2)

        assert await shown is None
    assert (text, actions) == ("1 < 2", [])


async def test_cancelling_closes_the_notification(session_bus: None) -> None:
    async with notification_service("actions") as service:
        shown = asyncio.create_task(notify("“Orders” failed", "", BUTTONS))
        await service.shown.get()

        shown.cancel()

        assert await service.closed.get() == 7
        with pytest.raises(asyncio.CancelledError):
            await shown


async def test_a_bus_without_a_notification_service_is_reported(session_bus: None) -> None:
    with pytest.raises(NotSupported):
        await notify("“Orders” failed", "", BUTTONS)


@pytest.mark.parametrize("address", [None, "nonsense", "unix:path=/nowhere", "tcp:host=127.0.0.1"])
async def test_without_a_bus_it_says_so(monkeypatch: pytest.MonkeyPatch, address: str | None) -> None:
    if address is None:
        monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    else:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)

    with pytest.raises(NotSupported):
        await notify("“Orders” failed", "", BUTTONS)


async def test_a_service_that_does_not_respond_is_not_waited_for(
    session_bus: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("patchbay.platform.session_bus.CONNECT_SECONDS", 0.2)
    async with open_dbus_router() as bus:
        await bus.send_and_get_reply(jeepney.message_bus.RequestName(NAME))

        with pytest.raises(NotSupported):
            await notify("“Orders” failed", "", BUTTONS)
