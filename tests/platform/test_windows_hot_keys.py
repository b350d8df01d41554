"""Hot keys on Windows, with a system whose calls respond as the test says."""

import ctypes
from types import ModuleType
from typing import Any

import pytest
from tests.support.other_systems import Library, windows_module

from patchbay.domain.errors import AppError, Conflict
from patchbay.domain.hot_keys import parse_hot_key

MODULE = "patchbay.platform.windows_hot_keys"
HOT_KEY, OTHER = 0x0312, 0x0400
KEYS = parse_hot_key("Ctrl+Alt+P")


class User(Library):
    """The part of Windows that has hot keys. Its messages are numbers, and end after the last one."""

    def __init__(self, *messages: int, is_free: bool = True) -> None:
        self._messages = list(messages)
        super().__init__(
            {"RegisterHotKey": int(is_free), "GetMessageW": self._next, "GetCurrentThreadId": 77}
        )

    def _next(self, message: Any, *_: object) -> int:
        if not self._messages:
            return 0
        message._obj.message = self._messages.pop(0)
        return 1

    def arguments(self, name: str) -> tuple[Any, ...]:
        return next(arguments for called, arguments in self.calls if called == name)


def _module(monkeypatch: pytest.MonkeyPatch, user: User, error: int = 0) -> ModuleType:
    module = windows_module(monkeypatch, MODULE, user)
    monkeypatch.setattr(ctypes, "get_last_error", lambda: error, raising=False)
    return module


def _run(module: ModuleType) -> list[str]:
    happened: list[str] = []
    listener = module.WindowsKeyListener(KEYS)
    listener.run(lambda: happened.append("grabbed"), lambda: happened.append("pressed"))
    return happened


def test_each_message_about_the_keys_is_a_press(monkeypatch: pytest.MonkeyPatch) -> None:
    user = User(HOT_KEY, OTHER, HOT_KEY)

    assert _run(_module(monkeypatch, user)) == ["grabbed", "pressed", "pressed"]
    no_repeat, control, alt = 0x4000, 2, 1
    assert user.arguments("RegisterHotKey") == (None, 1, no_repeat | control | alt, ord("P"))
    assert user.called()[-1] == "UnregisterHotKey"


def test_keys_of_another_program_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    user = User(is_free=False)

    with pytest.raises(Conflict, match=r"already uses Ctrl\+Alt\+P"):
        _run(_module(monkeypatch, user, error=1409))

    assert "UnregisterHotKey" not in user.called()


def test_another_error_of_the_system_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AppError, match="error 87"):
        _run(_module(monkeypatch, User(is_free=False), error=87))


def test_stopping_ends_the_thread_by_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    user = User()
    listener = _module(monkeypatch, user).WindowsKeyListener(KEYS)
    listener.run(lambda: None, lambda: None)

    listener.stop()

    quit_message = 0x0012
    assert user.calls[-1] == ("PostThreadMessageW", (77, quit_message, 0, 0))


def test_what_is_stopped_before_its_thread_runs_grabs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    user = User(HOT_KEY)
    listener = _module(monkeypatch, user).WindowsKeyListener(KEYS)

    listener.stop()
    listener.run(lambda: None, lambda: None)

    assert "RegisterHotKey" not in user.called()


@pytest.mark.parametrize(
    ("key", "number"), [("A", 0x41), ("0", 0x30), ("F1", 0x70), ("F24", 0x87), ("PageDown", 0x22)]
)
def test_each_key_has_its_number(monkeypatch: pytest.MonkeyPatch, key: str, number: int) -> None:
    assert _module(monkeypatch, User()).virtual_key(key) == number
