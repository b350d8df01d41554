"""The signals of services on a real session bus."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from tests.support.patience import PATIENCE
from tests.support.session_bus import needs_dbus, running_session_bus

from patchbay.domain.errors import NotSupported
from patchbay.platform import session_bus
from patchbay.platform.session_bus import BusService, Signals, SignalsEnded, bus_service

jeepney = pytest.importorskip("jeepney")
from jeepney.io.asyncio import DBusRouter, open_dbus_connection, open_dbus_router  # noqa: E402

pytestmark = needs_dbus

PATH, NAME = "/com/example/Printer", "com.example.Printer"
UNAVAILABLE = NotSupported("There is no printer.")
PRINTER = jeepney.DBusAddress(PATH, bus_name=NAME, interface=NAME)


@pytest.fixture(autouse=True)
def bus(monkeypatch: pytest.MonkeyPatch) -> "Iterator[subprocess.Popen[str]]":
    monkeypatch.setattr(session_bus, "CONNECT_SECONDS", PATIENCE)
    with running_session_bus() as (address, process):
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield process


@asynccontextmanager
async def subscribed_printer(sender: str) -> AsyncIterator[BusService]:
    """The service, whose signals come from `sender`."""
    rule = jeepney.MatchRule(type="signal", path=PATH, sender=sender)
    async with bus_service(PRINTER, UNAVAILABLE) as service, service.subscribed(rule):
        yield service


async def send(bus: DBusRouter, text: str, receiver: BusService) -> None:
    """Send a signal, and wait until the receiver has got it."""
    emitter = jeepney.DBusAddress(PATH, interface=NAME, bus_name=receiver.router.unique_name)
    await bus.send(jeepney.new_signal(emitter, "Printed", "s", (text,)))
    await bus.send_and_get_reply(jeepney.message_bus.GetId())
    await receiver.router.send_and_get_reply(jeepney.message_bus.GetId())


async def test_the_signals_before_the_end_of_the_bus_are_read_and_then_it_is_reported(
    bus: "subprocess.Popen[str]",
) -> None:
    async def read_to_the_end() -> None:
        async with subscribed_printer(other.unique_name) as service:
            await send(other, "page 1", service)
            bus.kill()

            assert (await service.signals.get()).body == ("page 1",)
            await asyncio.wait_for(service.signals.get(), PATIENCE)

    async with await open_dbus_connection("SESSION") as connection:
        other = DBusRouter(connection)
        with pytest.raises(NotSupported, match="no printer") as caught:
            await read_to_the_end()

    assert isinstance(caught.value.__cause__, SignalsEnded)


class PaperJam(Exception):
    """An error that has nothing to do with the bus."""


async def test_the_end_of_the_bus_does_not_replace_the_error_of_the_block(
    bus: "subprocess.Popen[str]",
) -> None:
    async def fail_after_the_end() -> None:
        async with subscribed_printer("com.example.Other") as service:
            bus.kill()
            with pytest.raises(SignalsEnded):
                await asyncio.wait_for(service.signals.get(), PATIENCE)
            raise PaperJam

    with pytest.raises(PaperJam):
        await fail_after_the_end()


@pytest.mark.parametrize("pages", [["page"] * 12, ["x" * 10_000]], ids=["many", "large"])
async def test_more_signals_than_the_limit_end_the_subscription_with_an_error(
    monkeypatch: pytest.MonkeyPatch, pages: list[str]
) -> None:
    monkeypatch.setattr(session_bus, "MAX_UNREAD_BYTES", 10_000)

    async def read_late() -> None:
        async with open_dbus_router() as other, subscribed_printer(other.unique_name) as service:
            for page in pages:
                await send(other, page, service)
            await asyncio.wait_for(service.signals.get(), PATIENCE)

    with pytest.raises(NotSupported) as caught:
        await read_late()

    assert "too many" in str(caught.value.__cause__)


async def test_signals_that_are_read_make_room_and_those_of_strangers_take_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session_bus, "MAX_UNREAD_BYTES", 3000)
    async with (
        open_dbus_router() as other,
        open_dbus_router() as stranger,
        subscribed_printer(other.unique_name) as service,
    ):
        for number in range(10):
            await send(stranger, "of a stranger", service)
            await send(other, f"page {number}", service)
            assert (await service.signals.get()).body == (f"page {number}",)


async def test_signals_wait_for_a_reader() -> None:
    signals = Signals()
    reading = asyncio.create_task(signals.get())
    await asyncio.sleep(0)
    signals.end("the bus has ended")

    with pytest.raises(SignalsEnded):
        await reading
