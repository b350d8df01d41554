"""Hot keys on macOS, with a library whose calls respond as the test says."""

import asyncio
import ctypes
from typing import Any

import pytest
from tests.support.other_systems import Library

from patchbay.domain.errors import AppError, Conflict, NotSupported
from patchbay.domain.hot_keys import parse_hot_key
from patchbay.platform import mac_hot_keys
from patchbay.platform.mac_hot_keys import MacHotKeys

KEYS = parse_hot_key("Ctrl+Alt+P")


class Carbon(Library):
    """The library that has hot keys. `status` is its response to a registration."""

    def __init__(self, status: int = 0) -> None:
        self.pressed = 0
        super().__init__(
            {
                "GetEventDispatcherTarget": 7,
                "RegisterEventHotKey": status,
                "UnregisterEventHotKey": 0,
                "InstallEventHandler": 0,
                "GetEventParameter": self._read,
            }
        )

    def _read(self, *arguments: Any) -> int:
        found = mac_hot_keys._HotKeyId.from_address(arguments[-1])
        found.number = self.pressed
        return 0

    def press(self, number: int) -> None:
        self.pressed = number
        handler = next(arguments[1] for name, arguments in self.calls if name == "InstallEventHandler")
        assert handler(None, None, None) == 0


def _hot_keys(monkeypatch: pytest.MonkeyPatch, carbon: Carbon) -> MacHotKeys:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: carbon)
    return MacHotKeys(lambda work: work())


async def test_a_press_is_reported_to_the_flows_of_its_keys_only(monkeypatch: pytest.MonkeyPatch) -> None:
    carbon = Carbon()
    hot_keys = _hot_keys(monkeypatch, carbon)

    async with hot_keys.grabbed(KEYS) as first, hot_keys.grabbed(parse_hot_key("Meta+Shift+F1")) as second:
        carbon.press(2)
        await second.next()
        assert first._found.empty()
        carbon.press(1)
        await first.next()

    registered = [arguments[:2] for name, arguments in carbon.calls if name == "RegisterEventHotKey"]
    assert registered == [(35, 0x1800), (122, 0x300)]
    assert carbon.called().count("InstallEventHandler") == 1
    assert carbon.called().count("UnregisterEventHotKey") == 2
    carbon.press(1)
    await asyncio.sleep(0)
    assert first._found.empty()


async def test_keys_of_another_program_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    carbon = Carbon(-9878)

    with pytest.raises(Conflict, match=r"already uses Ctrl\+Alt\+P"):
        async with _hot_keys(monkeypatch, carbon).grabbed(KEYS):
            pass

    assert "UnregisterEventHotKey" not in carbon.called()


async def test_another_error_of_the_system_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AppError, match="error -50"):
        async with _hot_keys(monkeypatch, Carbon(-50)).grabbed(KEYS):
            pass


async def test_a_key_that_a_mac_lacks_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotSupported, match="no key “Insert”"):
        async with _hot_keys(monkeypatch, Carbon()).grabbed(parse_hot_key("Ctrl+Insert")):
            pass


@pytest.mark.parametrize(
    ("key", "number"),
    [("A", 0), ("G", 5), ("M", 46), ("5", 23), ("6", 22), ("0", 29), ("F5", 96), ("F12", 111)],
)
def test_each_key_has_its_number(key: str, number: int) -> None:
    assert mac_hot_keys._CODES[key] == number
