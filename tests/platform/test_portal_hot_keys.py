"""Hot keys on Wayland, reported by a portal on a real session bus."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, suppress

import pytest
from tests.support.patience import PATIENCE
from tests.support.session_bus import needs_dbus, running_session_bus
from tests.support.shortcut_portal import PATH, Portal, running_portal

from patchbay.domain.errors import AppError, Forbidden, NotSupported
from patchbay.domain.hot_keys import parse_hot_key
from patchbay.platform import portal_hot_keys
from patchbay.platform.hot_keys import Presses, hot_keys_of_system
from patchbay.platform.portal_hot_keys import PortalHotKeys, shortcut_id, trigger_text

jeepney = pytest.importorskip("jeepney")
from jeepney.io.asyncio import open_dbus_router  # noqa: E402

pytestmark = needs_dbus

KEYS, OTHER = parse_hot_key("Ctrl+Alt+P"), parse_hot_key("Meta+F9")


@pytest.fixture(autouse=True)
def session_bus(monkeypatch: pytest.MonkeyPatch) -> "Iterator[subprocess.Popen[str]]":
    monkeypatch.setattr(portal_hot_keys, "SETTLE_SECONDS", 0.0)
    monkeypatch.setattr("patchbay.platform.session_bus.CONNECT_SECONDS", PATIENCE)
    with running_session_bus() as (address, bus):
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield bus


@pytest.fixture
async def hot_keys() -> AsyncIterator[PortalHotKeys]:
    made = PortalHotKeys()
    yield made
    if made._task is not None:
        await asyncio.wait_for(made._task, PATIENCE)


async def _all(presses: Presses) -> int:
    """How many presses there are before the desktop ends the session."""
    count = 0
    with suppress(AppError):
        while True:
            await presses.next()
            count += 1
    return count


async def test_a_press_is_noticed_and_a_key_that_is_held_counts_once(hot_keys: PortalHotKeys) -> None:
    async with running_portal() as portal, hot_keys.grabbed(KEYS) as presses:
        assert portal.bound == [{"flow-ctrl-alt-p": "CTRL+ALT+p"}]
        for _ in range(3):
            await portal.signal("Activated", "flow-ctrl-alt-p")
        await portal.signal("Deactivated", "flow-ctrl-alt-p")
        await portal.press("flow-ctrl-alt-p")
        await portal.close_session()

        assert await _all(presses) == 2


async def test_without_reports_of_releases_a_later_press_counts(
    monkeypatch: pytest.MonkeyPatch, hot_keys: PortalHotKeys
) -> None:
    monkeypatch.setattr(portal_hot_keys, "REPEAT_SECONDS", 0.0)
    async with running_portal() as portal, hot_keys.grabbed(KEYS) as presses:
        for _ in range(2):
            await portal.signal("Activated", "flow-ctrl-alt-p")
            await presses.next()


async def test_signals_of_other_sessions_programs_and_shortcuts_are_ignored(hot_keys: PortalHotKeys) -> None:
    async with running_portal() as portal, hot_keys.grabbed(KEYS) as presses:
        async with open_dbus_router() as stranger:
            pretended = Portal(stranger)
            pretended.session = portal.session
            await pretended.press("flow-ctrl-alt-p")
            owner_changed = ("org.freedesktop.portal.Desktop", ":1.1", "")
            bus = jeepney.DBusAddress(PATH, interface="org.freedesktop.DBus")
            await stranger.send(jeepney.new_signal(bus, "NameOwnerChanged", "sss", owner_changed))
            await stranger.send_and_get_reply(jeepney.message_bus.GetId())
        await portal.signal("Activated", "flow-ctrl-alt-p", session=f"{PATH}/session/1_7/other")
        await portal.press("another")
        await portal.press("flow-ctrl-alt-p")
        await portal.close_session()

        assert await _all(presses) == 1  # that of the portal itself


async def test_all_combinations_are_in_one_session_and_a_change_makes_a_new_one(
    hot_keys: PortalHotKeys,
) -> None:
    async with running_portal() as portal, hot_keys.grabbed(KEYS) as presses:
        first = portal.session
        async with hot_keys.grabbed(OTHER) as others:
            assert portal.bound[-1] == {"flow-ctrl-alt-p": "CTRL+ALT+p", "flow-meta-f9": "LOGO+F9"}
            await portal.press("flow-meta-f9")
            await portal.press("flow-ctrl-alt-p")
            await others.next()
            await presses.next()
            portal.has_bound.clear()
        await portal.has_bound.wait()

        assert portal.bound[-1] == {"flow-ctrl-alt-p": "CTRL+ALT+p"}
        assert portal.session != first


async def test_a_combination_that_is_grabbed_again_at_once_stays_bound(hot_keys: PortalHotKeys) -> None:
    """As when a flow is published again: the desktop may ask the person at each new session."""
    async with running_portal() as portal, hot_keys.grabbed(OTHER):
        async with hot_keys.grabbed(KEYS):
            before = len(portal.bound)
        async with hot_keys.grabbed(KEYS) as presses:
            await portal.press("flow-ctrl-alt-p")
            await presses.next()

        assert len(portal.bound) == before


async def test_the_end_of_the_last_combination_is_the_end_of_the_session(hot_keys: PortalHotKeys) -> None:
    async with running_portal(), hot_keys.grabbed(KEYS):
        task = hot_keys._task
        assert task is not None

    await asyncio.wait_for(task, PATIENCE)


async def test_a_declined_combination_says_so_and_the_others_work(hot_keys: PortalHotKeys) -> None:
    async with running_portal() as portal, AsyncExitStack() as grabs:
        portal.declined = {shortcut_id(KEYS)}
        kept = asyncio.create_task(grabs.enter_async_context(hot_keys.grabbed(OTHER)))
        with pytest.raises(Forbidden, match="didn't allow this hot key"):
            await grabs.enter_async_context(hot_keys.grabbed(KEYS))
        others = await kept

        await portal.press("flow-meta-f9")
        await others.next()


async def test_a_declined_dialog_is_not_shown_again(hot_keys: PortalHotKeys) -> None:
    async with running_portal() as portal:
        portal.code = 1
        with pytest.raises(Forbidden, match="didn't allow") as caught:
            async with hot_keys.grabbed(KEYS):
                pass
        assert "Pause and resume" in caught.value.todo
        assert len(portal.bound) == 1


async def test_what_the_desktop_says_when_it_rejects_hot_keys_is_shown(hot_keys: PortalHotKeys) -> None:
    async with running_portal() as portal:
        portal.error = "An app id is required"
        with pytest.raises(NotSupported, match="rejected the hot key: An app id is required"):
            async with hot_keys.grabbed(KEYS):
                pass


async def test_consent_that_no_one_gives_is_an_error(
    monkeypatch: pytest.MonkeyPatch, hot_keys: PortalHotKeys
) -> None:
    async with running_portal() as portal:
        portal.code = None
        monkeypatch.setattr(portal_hot_keys, "CONSENT_SECONDS", 0.5)
        with pytest.raises(Forbidden, match="didn't allow"):
            async with hot_keys.grabbed(KEYS):
                pass


async def test_a_session_that_the_desktop_closes_ends_the_grab(hot_keys: PortalHotKeys) -> None:
    async with running_portal() as portal, hot_keys.grabbed(KEYS) as presses:
        await portal.close_session()

        with pytest.raises(AppError, match="has ended the hot keys"):
            await presses.next()


async def test_the_end_of_the_portal_ends_the_grab_and_it_can_be_grabbed_again(
    hot_keys: PortalHotKeys,
) -> None:
    async with AsyncExitStack() as grabs:
        async with running_portal():
            presses = await grabs.enter_async_context(hot_keys.grabbed(KEYS))
        with pytest.raises(AppError, match="has ended the hot keys"):
            await asyncio.wait_for(presses.next(), PATIENCE)
    async with running_portal() as portal, hot_keys.grabbed(KEYS) as again:
        await portal.press("flow-ctrl-alt-p")
        await again.next()


async def test_the_end_of_the_session_bus_ends_the_grab_and_it_can_be_grabbed_again(
    session_bus: "subprocess.Popen[str]", hot_keys: PortalHotKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with AsyncExitStack() as grabs:
        with suppress(EOFError):  # the portal notices it as well
            async with running_portal():
                presses = await grabs.enter_async_context(hot_keys.grabbed(KEYS))
                session_bus.kill()
                with pytest.raises(AppError, match="has ended the hot keys") as caught:
                    await asyncio.wait_for(presses.next(), PATIENCE)
    assert "tries again" in caught.value.todo
    assert not isinstance(caught.value, NotSupported)

    with running_session_bus() as (address, _):
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        async with running_portal() as portal, hot_keys.grabbed(KEYS) as again:
            await portal.press("flow-ctrl-alt-p")
            await again.next()


async def test_the_end_of_the_session_bus_while_the_desktop_asks_ends_the_grab(
    session_bus: "subprocess.Popen[str]", hot_keys: PortalHotKeys
) -> None:
    with suppress(EOFError):  # the portal notices it as well
        async with running_portal() as portal:
            portal.code = None
            grabbing = asyncio.create_task(hot_keys.grabbed(KEYS).__aenter__())
            await portal.has_bound.wait()
            session_bus.kill()
            with pytest.raises(AppError):
                await asyncio.wait_for(grabbing, PATIENCE)


async def test_a_grab_that_is_cancelled_while_the_desktop_asks_leaves_nothing(
    hot_keys: PortalHotKeys,
) -> None:
    async with running_portal() as portal:
        portal.declined = {shortcut_id(KEYS)}
        grabbing = asyncio.create_task(hot_keys.grabbed(KEYS).__aenter__())
        await asyncio.sleep(0)
        grabbing.cancel()
        with suppress(asyncio.CancelledError):
            await grabbing
        assert hot_keys._task is not None
        await hot_keys._task

    assert hot_keys._task is None
    assert not hot_keys._grabs


async def test_without_a_portal_the_error_names_it() -> None:
    hot_keys = hot_keys_of_system("wayland", print)

    for attempt in (hot_keys.require_support(), hot_keys.grabbed(KEYS).__aenter__()):
        with pytest.raises(NotSupported, match="doesn't notify programs of hot keys") as caught:
            await attempt
        assert "xdg-desktop-portal" in caught.value.todo


async def test_with_a_portal_hot_keys_are_supported() -> None:
    async with running_portal():
        await hot_keys_of_system("wayland", print).require_support()


async def test_x11_inside_wayland_uses_the_portal(monkeypatch: pytest.MonkeyPatch) -> None:
    """There, the X server learns only of the keys that are pressed in its own windows."""
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")

    assert isinstance(hot_keys_of_system("xcb", print), PortalHotKeys)


@pytest.mark.parametrize(
    ("entered", "expected"),
    [
        ("Ctrl+Alt+P", "CTRL+ALT+p"),
        ("Shift+Meta+1", "SHIFT+LOGO+1"),
        ("F9", "F9"),
        ("Ctrl+Enter", "CTRL+Return"),
        ("Alt+PageUp", "ALT+Prior"),
        ("Meta+Space", "LOGO+space"),
    ],
)
def test_triggers_are_written_as_the_portal_expects(entered: str, expected: str) -> None:
    assert trigger_text(parse_hot_key(entered)) == expected
