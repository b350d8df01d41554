"""Hot keys on Windows, each with a thread that receives the messages about it."""

import ctypes
import sys
from collections.abc import Callable
from ctypes import byref, wintypes

from patchbay.domain.errors import AppError
from patchbay.domain.hot_keys import HotKey
from patchbay.platform.hot_keys import taken_error

_MODIFIERS = {"Alt": 0x1, "Ctrl": 0x2, "Shift": 0x4, "Meta": 0x8}
_NO_REPEAT = 0x4000
"""A key that is held is reported once."""
_ID = 1
_HOT_KEY_MESSAGE, _QUIT_MESSAGE, _USER_MESSAGES = 0x0312, 0x0012, 0x0400
_KEEP_MESSAGE = 0
_ALREADY_REGISTERED = 1409
_F1 = 0x70
_CODES = {
    "Space": 0x20,
    "Tab": 0x09,
    "Enter": 0x0D,
    "Escape": 0x1B,
    "Backspace": 0x08,
    "Delete": 0x2E,
    "Insert": 0x2D,
    "Home": 0x24,
    "End": 0x23,
    "PageUp": 0x21,
    "PageDown": 0x22,
    "Left": 0x25,
    "Up": 0x26,
    "Right": 0x27,
    "Down": 0x28,
}


def virtual_key(key: str) -> int:
    """The number of a key on Windows. Letters and digits have their own."""
    if key in _CODES:
        return _CODES[key]
    return ord(key) if len(key) == 1 else _F1 + int(key[1:]) - 1


if sys.platform == "win32":

    class WindowsKeyListener:
        """Implements `KeyListener`. Messages arrive on the thread that registered the combination."""

        def __init__(self, hot_key: HotKey) -> None:
            self._hot_key = hot_key
            self._user = ctypes.WinDLL("user32", use_last_error=True)
            self._kernel = ctypes.WinDLL("kernel32")
            self._thread = 0
            self._is_stopped = False

        def run(self, on_grabbed: Callable[[], None], on_pressed: Callable[[], None]) -> None:
            message = wintypes.MSG()
            # Creates the queue of this thread, so that `stop` can send a message to it.
            self._user.PeekMessageW(byref(message), None, _USER_MESSAGES, _USER_MESSAGES, _KEEP_MESSAGE)
            self._thread = self._kernel.GetCurrentThreadId()
            if self._is_stopped:
                return
            self._register()
            try:
                on_grabbed()
                while self._user.GetMessageW(byref(message), None, 0, 0) > 0:
                    if message.message == _HOT_KEY_MESSAGE:
                        on_pressed()
            finally:
                self._user.UnregisterHotKey(None, _ID)

        def stop(self) -> None:
            self._is_stopped = True
            if self._thread:
                self._user.PostThreadMessageW(self._thread, _QUIT_MESSAGE, 0, 0)

        def _register(self) -> None:
            modifiers = _NO_REPEAT | sum(_MODIFIERS[name] for name in self._hot_key.modifiers)
            if self._user.RegisterHotKey(None, _ID, modifiers, virtual_key(self._hot_key.key)):
                return
            error = ctypes.get_last_error()
            if error == _ALREADY_REGISTERED:
                raise taken_error(self._hot_key)
            raise AppError(
                f"Windows rejected {self._hot_key.text} (error {error})",
                todo="Choose other keys in the trigger.",
            )
