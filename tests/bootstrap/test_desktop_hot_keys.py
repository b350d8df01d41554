"""Hot keys as events of the desktop: who shares one, and when it is released."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from patchbay.bootstrap.desktop_events import DesktopEvents
from patchbay.desktop.tasks.window_calls import WindowCalls
from patchbay.domain.desktop import ClipboardText, DesktopEventKind
from patchbay.domain.errors import AppError, Conflict, NotSupported
from patchbay.domain.hot_keys import HotKey
from patchbay.platform.hot_keys import NoHotKeys, Presses, hot_keys_of_system

PRESSED = DesktopEventKind.HOT_KEY_PRESSED


class FakeHotKeys:
    """Hot keys that a test presses. Releasing one waits for `may_release`."""

    def __init__(self) -> None:
        self.grabs: list[str] = []
        self.held: dict[str, Presses] = {}
        self.error: AppError | None = None
        self.may_release = asyncio.Event()
        self.may_release.set()

    async def require_support(self) -> None:
        pass

    @asynccontextmanager
    async def grabbed(self, hot_key: HotKey) -> AsyncIterator[Presses]:
        if self.error is not None:
            raise self.error
        assert hot_key.text not in self.held, "it is grabbed twice"
        self.grabs.append(hot_key.text)
        self.held[hot_key.text] = presses = Presses()
        try:
            yield presses
        finally:
            await self.may_release.wait()
            del self.held[hot_key.text]


async def _no_clipboard() -> ClipboardText:
    return ClipboardText()


@pytest.fixture
def events(qtbot) -> DesktopEvents:
    return DesktopEvents(WindowCalls(), _no_clipboard, in_background=False)


@pytest.fixture
def hot_keys(events) -> FakeHotKeys:
    events._hot_keys = made = FakeHotKeys()
    return made


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_flows_with_the_same_hot_key_share_it_until_the_last_one_ends(events, hot_keys):
    first, second, other = (events.watch(PRESSED, keys) for keys in ("F9", "F9", "Ctrl+A"))
    for one in (first, second, other):
        await anext(one)

    hot_keys.held["F9"].pressed()
    await anext(first)
    await anext(second)
    await first.aclose()
    hot_keys.held["F9"].pressed()
    await anext(second)
    await second.aclose()
    await _settle()

    assert [event.data for event in events.latest(PRESSED, "F9")] == [{"keys": "F9"}] * 2
    assert events.latest(PRESSED, "Ctrl+A") == ()
    assert hot_keys.grabs == ["F9", "Ctrl+A"]
    assert list(hot_keys.held) == ["Ctrl+A"]
    await other.aclose()
    await _settle()
    assert not hot_keys.held


async def test_a_hot_key_is_grabbed_again_only_once_it_is_released(events, hot_keys):
    """As when a flow is published again. Else it would seem to belong to another program."""
    hot_keys.may_release.clear()
    before = events.watch(PRESSED, "F9")
    await anext(before)
    await before.aclose()

    in_between, last = (asyncio.ensure_future(anext(events.watch(PRESSED, "F9"))) for _ in range(2))
    await _settle()
    in_between.cancel()
    await _settle()
    assert hot_keys.grabs == ["F9"]
    hot_keys.may_release.set()
    await last

    assert hot_keys.grabs == ["F9", "F9"]


async def test_a_watch_that_ends_before_it_has_grabbed_anything_delays_no_other(events, hot_keys):
    hot_keys.may_release.clear()
    before = events.watch(PRESSED, "F9")
    await anext(before)
    await before.aclose()

    for _ in range(2):
        beginning = asyncio.ensure_future(anext(events.watch(PRESSED, "F9")))
        await _settle()
        beginning.cancel()
        await _settle()
    last = asyncio.ensure_future(anext(events.watch(PRESSED, "F9")))
    await _settle()
    assert hot_keys.grabs == ["F9"], "the first one still holds it"
    hot_keys.may_release.set()
    await last

    assert hot_keys.grabs == ["F9", "F9"]


async def test_a_hot_key_that_cannot_be_grabbed_ends_the_watch_with_the_reason(events, hot_keys):
    hot_keys.error = Conflict("Another program uses F9")

    with pytest.raises(Conflict, match="Another program"):
        await anext(events.watch(PRESSED, "F9"))

    hot_keys.error = None
    await anext(events.watch(PRESSED, "F9"))


async def test_where_the_system_has_no_hot_keys_the_error_says_what_to_do_instead(events):
    events._hot_keys = NoHotKeys()

    with pytest.raises(NotSupported, match="on this system yet") as caught:
        await events.require_support(PRESSED)

    assert "patchbay flow run" in caught.value.todo


@pytest.mark.parametrize(
    ("platform", "kind"),
    [
        ("xcb", "ThreadedHotKeys"),
        ("wayland", "PortalHotKeys"),
        ("cocoa", "MacHotKeys"),
        ("eglfs", "NoHotKeys"),
    ],
)
def test_each_platform_has_its_hot_keys(monkeypatch, platform, kind):
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)

    assert type(hot_keys_of_system(platform, print)).__name__ == kind
