"""Screenshots on Wayland, taken by a portal on a real session bus."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.support.patience import PATIENCE
from tests.support.session_bus import needs_dbus, private_session_bus

from patchbay.domain.errors import AppError, Forbidden, NotSupported, TimedOut
from patchbay.platform import screenshot_portal
from patchbay.platform.screenshot_portal import portal_screenshot

jeepney = pytest.importorskip("jeepney")
from jeepney.io.asyncio import DBusRouter, open_dbus_router  # noqa: E402

pytestmark = needs_dbus

NAME = "org.freedesktop.portal.Desktop"
REQUEST = "/org/freedesktop/portal/desktop/request/1_7/"
PICTURE = b"\x89PNG a picture"


@pytest.fixture
def session_bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with private_session_bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield


async def _respond(bus: DBusRouter, request: str, code: int, results: dict[str, tuple[str, str]]) -> None:
    emitter = jeepney.DBusAddress(request, interface="org.freedesktop.portal.Request")
    await bus.send(jeepney.new_signal(emitter, "Response", "ua{sv}", (code, results)))


async def _serve(bus: DBusRouter, code: int | None, uri: str) -> None:
    with bus.filter(jeepney.MatchRule(type="method_call"), queue=asyncio.Queue()) as calls:
        version = await calls.get()
        await bus.send(jeepney.new_method_return(version, "v", (("u", 2),)))
        call = await calls.get()
        path = REQUEST + call.body[1]["handle_token"][1]
        await bus.send(jeepney.new_method_return(call, "o", (path,)))
        if code is None:
            return
        async with open_dbus_router() as stranger:
            await _respond(stranger, path, 0, {"uri": ("s", "file:///etc/hostname")})
            await stranger.send_and_get_reply(jeepney.message_bus.GetId())
        results = {"uri": ("s", uri)} if uri else {}
        for request in (f"{path}_of_another", path):
            await _respond(bus, request, code, results)


@asynccontextmanager
async def portal(code: int | None, uri: str) -> AsyncIterator[None]:
    async with asyncio.timeout(PATIENCE), open_dbus_router() as bus:
        await bus.send_and_get_reply(jeepney.message_bus.RequestName(NAME))
        serving = asyncio.create_task(_serve(bus, code, uri))
        yield
        serving.cancel()


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    file = tmp_path / "a screenshot.png"
    file.write_bytes(PICTURE)
    return file


async def test_the_picture_of_the_portal_is_returned(session_bus: None, picture: Path) -> None:
    async with portal(0, picture.as_uri()):
        assert await portal_screenshot() == PICTURE


async def test_consent_that_no_one_gives_or_declines_is_not_a_missing_portal(
    session_bus: None, picture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screenshot_portal, "CONSENT_SECONDS", 0.0)
    monkeypatch.setattr("patchbay.platform.session_bus.CONNECT_SECONDS", PATIENCE)
    async with portal(None, ""):
        with pytest.raises(TimedOut, match="took no screenshot"):
            await portal_screenshot()


async def test_a_declined_screenshot_says_so(session_bus: None) -> None:
    async with portal(1, ""):
        with pytest.raises(Forbidden, match="declined"):
            await portal_screenshot()


@pytest.mark.parametrize("uri", ["", "https://example.com/a.png", "file:///does/not/exist.png"])
async def test_a_portal_without_a_file_is_an_error(session_bus: None, uri: str) -> None:
    async with portal(0, uri):
        with pytest.raises(AppError):
            await portal_screenshot()


async def test_a_picture_that_is_too_large_is_an_error(
    session_bus: None, picture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screenshot_portal, "MAX_BYTES", len(PICTURE) - 1)
    async with portal(0, picture.as_uri()):
        with pytest.raises(AppError, match="larger"):
            await portal_screenshot()


async def test_without_a_portal_the_error_names_it(session_bus: None) -> None:
    with pytest.raises(NotSupported, match="can't take screenshots") as caught:
        await portal_screenshot()

    assert "xdg-desktop-portal" in caught.value.todo
