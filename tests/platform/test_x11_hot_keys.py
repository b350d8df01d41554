"""Hot keys on a real X server: what is noticed, what isn't, and who owns a combination."""

import asyncio
import shutil
import subprocess
from collections.abc import Iterator

import pytest
from tests.support.patience import PATIENCE
from tests.support.virtual_display import needs_a_display, virtual_display, xdotool

from patchbay.domain.errors import AppError, Conflict, NotSupported
from patchbay.domain.hot_keys import parse_hot_key
from patchbay.platform.hot_keys import HotKeys, Presses, hot_keys_of_system
from patchbay.platform.x11_hot_keys import HeldKey, Keyboard, keysym

KEYS = parse_hot_key("Ctrl+Alt+P")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with virtual_display() as name:
        yield name


@pytest.fixture
def display(server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DISPLAY", server)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    return server


@pytest.fixture
def hot_keys() -> HotKeys:
    return hot_keys_of_system("xcb", print)


async def _press(display: str, *keys: str) -> None:
    await asyncio.to_thread(xdotool, display, "key", *keys)


async def _read(presses: Presses, count: int) -> int:
    """Wait for so many presses, and return how many more have arrived."""
    async with asyncio.timeout(PATIENCE):
        for _ in range(count):
            await presses.next()
    return presses._found.qsize()


@needs_a_display
async def test_a_press_is_noticed_whatever_locks_are_on(display: str, hot_keys: HotKeys) -> None:
    async with hot_keys.grabbed(KEYS) as presses, asyncio.timeout(PATIENCE):
        for locks in ((), ("Num_Lock",), ("Caps_Lock",), ("Num_Lock", "Caps_Lock")):
            for lock in locks:
                await _press(display, lock)
            await _press(display, "ctrl+alt+p")
            await presses.next()
            for lock in locks:
                await _press(display, lock)


@needs_a_display
async def test_other_keys_are_not_noticed(display: str, hot_keys: HotKeys) -> None:
    async with hot_keys.grabbed(KEYS) as presses:
        await _press(display, "p", "ctrl+p", "alt+p", "ctrl+alt+shift+p", "ctrl+alt+o")
        await _press(display, "ctrl+alt+p")

        assert await _read(presses, 1) == 0


@needs_a_display
async def test_a_key_that_is_held_counts_once(display: str, hot_keys: HotKeys) -> None:
    xdotool(display, "keyup", "p")
    async with hot_keys.grabbed(KEYS) as presses:
        await asyncio.to_thread(
            xdotool, display, "keydown", "ctrl", "keydown", "alt", "keydown", "p", "sleep", "1.5", "key", "o"
        )
        await asyncio.to_thread(xdotool, display, "keyup", "p", "keyup", "alt", "keyup", "ctrl")
        await _press(display, "ctrl+alt+p", "ctrl+alt+p")

        assert await _read(presses, 3) == 0


@needs_a_display
async def test_a_combination_of_another_program_is_an_error_until_it_is_free(
    display: str, hot_keys: HotKeys
) -> None:
    async with hot_keys_of_system("xcb", print).grabbed(KEYS):
        with pytest.raises(Conflict, match=r"already uses Ctrl\+Alt\+P"):
            async with hot_keys.grabbed(KEYS):
                pass

    async with hot_keys.grabbed(KEYS) as presses, asyncio.timeout(PATIENCE):
        await _press(display, "ctrl+alt+p")
        await presses.next()


@needs_a_display
@pytest.mark.skipif(not shutil.which("setxkbmap"), reason="needs setxkbmap")
async def test_a_changed_layout_moves_the_combination(display: str, hot_keys: HotKeys) -> None:
    def choose(*layout: str) -> None:
        subprocess.run(("setxkbmap", "-display", display, *layout), check=True)

    async with hot_keys.grabbed(KEYS) as presses:
        await asyncio.to_thread(choose, "us", "dvorak")
        try:
            noticed = asyncio.create_task(presses.next())
            async with asyncio.timeout(PATIENCE):
                while not noticed.done():  # the program learns of the layout after it was chosen
                    await _press(display, "ctrl+alt+p")
                    await asyncio.wait({noticed}, timeout=0.1)
            await noticed
        finally:
            await asyncio.to_thread(choose, "us")


@needs_a_display
async def test_a_key_that_the_keyboard_lacks_is_an_error(display: str, hot_keys: HotKeys) -> None:
    with pytest.raises(NotSupported, match="no key “F24”"):
        async with hot_keys.grabbed(parse_hot_key("F24")):
            pass


async def test_without_a_server_the_error_says_so(monkeypatch: pytest.MonkeyPatch, hot_keys: HotKeys) -> None:
    pytest.importorskip("ctypes").CDLL("libxcb.so.1")
    monkeypatch.setenv("DISPLAY", ":987")

    with pytest.raises(AppError, match="connection to the X server"):
        async with hot_keys.grabbed(KEYS):
            pass


@needs_a_display
async def test_the_end_of_the_server_ends_the_grab(monkeypatch: pytest.MonkeyPatch) -> None:
    with virtual_display() as own:
        monkeypatch.setenv("DISPLAY", own)
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
        hot_keys = hot_keys_of_system("xcb", print)
        grabbing = hot_keys.grabbed(KEYS)
        presses = await grabbing.__aenter__()
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(AppError, match="connection to the X server"):
            await presses.next()
        await grabbing.__aexit__(None, None, None)


def test_repetitions_are_no_presses() -> None:
    held = HeldKey()

    assert held.press(10)
    assert not held.press(600), "a repetition without a release"
    held.release(650)
    assert not held.press(650), "a repetition is a release and a press at the same time"
    held.release(700)
    assert held.press(900)


def test_a_key_without_shift_is_preferred() -> None:
    keyboard = Keyboard(8, [(0x31, 0x21), (0x26, 0x31), (0x50, 0x70)], [()] * 8)

    assert keyboard.keycodes(0x31) == [8]
    assert keyboard.keycodes(0x70) == [10]
    assert keyboard.keycodes(0x71) == []


def test_the_masks_include_all_locks_and_the_modifiers_of_the_layout() -> None:
    alt, num_lock, meta = (0xFFE9,), (0xFF7F,), (0xFFEB,)
    keyboard = Keyboard(8, [alt, num_lock, meta], [(), (), (), (8,), (9,), (), (10,), ()])

    assert keyboard.masks(("Ctrl", "Alt")) == (0x0C, 0x0E, 0x1C, 0x1E)
    assert keyboard.masks(("Shift", "Meta"))[0] == 0x41


@pytest.mark.parametrize(
    ("key", "number"), [("P", 0x70), ("1", 0x31), ("F1", 0xFFBE), ("F24", 0xFFD5), ("Enter", 0xFF0D)]
)
def test_each_key_has_its_number(key: str, number: int) -> None:
    assert keysym(key) == number
