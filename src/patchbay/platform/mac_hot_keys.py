"""Hot keys on macOS (Carbon, whose hot keys need no permission to read what is typed)."""

import asyncio
import ctypes
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from ctypes import POINTER, Structure, byref, c_int32, c_uint32, c_ulong, c_void_p
from typing import Any

from patchbay.domain.errors import AppError
from patchbay.domain.hot_keys import HotKey
from patchbay.platform.hot_keys import (
    Presses,
    RunOnWindowThread,
    grab_time_limit,
    no_such_key_error,
    taken_error,
)

_CARBON = "/System/Library/Frameworks/Carbon.framework/Carbon"
_SIGNATURE = int.from_bytes(b"Ptch", "big")
_KEYBOARD_EVENTS = int.from_bytes(b"keyb", "big")
_HOT_KEY_PRESSED = 5
_DIRECT_OBJECT = int.from_bytes(b"----", "big")
_HOT_KEY_ID = int.from_bytes(b"hkid", "big")
_EXCLUSIVE = 1
_ALREADY_REGISTERED = -9878
_MODIFIERS = {"Meta": 0x100, "Shift": 0x200, "Alt": 0x800, "Ctrl": 0x1000}
_LETTERS = dict(
    zip(
        "ASDFHGZXCVBQWERYTOUIPLJKNM",
        (*range(10), *range(11, 18), 31, 32, 34, 35, 37, 38, 40, 45, 46),
        strict=True,
    )
)
_DIGITS = dict(zip("1234567890", (18, 19, 20, 21, 23, 22, 26, 28, 25, 29), strict=True))
_FUNCTION_KEYS = (
    *(122, 120, 99, 118, 96, 97, 98, 100, 101, 109),
    *(103, 111, 105, 107, 113, 106, 64, 79, 80, 90),
)
_CODES = {
    **_LETTERS,
    **_DIGITS,
    **{f"F{number}": code for number, code in enumerate(_FUNCTION_KEYS, 1)},
    "Space": 49,
    "Tab": 48,
    "Enter": 36,
    "Escape": 53,
    "Backspace": 51,
    "Delete": 117,
    "Home": 115,
    "End": 119,
    "PageUp": 116,
    "PageDown": 121,
    "Left": 123,
    "Right": 124,
    "Down": 125,
    "Up": 126,
}
"""The places of keys on an American keyboard, by which macOS numbers them."""


class _EventType(Structure):
    _fields_ = (("kind", c_uint32), ("number", c_uint32))


class _HotKeyId(Structure):
    _fields_ = (("signature", c_uint32), ("number", c_uint32))


_Handler = ctypes.CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p)


class MacHotKeys:
    """Implements `HotKeys`. macOS reports hot keys on the thread of the window, where they are registered."""

    def __init__(self, on_window_thread: RunOnWindowThread) -> None:
        self._on_window_thread = on_window_thread
        self._carbon = _Carbon()
        self._numbers = itertools.count(1)

    async def require_support(self) -> None:
        pass

    @asynccontextmanager
    async def grabbed(self, hot_key: HotKey) -> AsyncIterator[Presses]:
        loop, presses, number = asyncio.get_running_loop(), Presses(), next(self._numbers)
        grabbed: asyncio.Future[None] = loop.create_future()

        def post(work: Callable[..., None], *given: object) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(work, *given)

        def on_done(error: AppError | None) -> None:
            if not grabbed.done():
                grabbed.set_exception(error) if error is not None else grabbed.set_result(None)

        def register() -> None:
            error = None
            try:
                self._carbon.register(hot_key, number, lambda: post(presses.pressed))
            except AppError as raised:
                error = raised
            except OSError as raised:
                error = AppError(f"The hot key can't be grabbed: {raised}.", todo="Restart Patchbay.")
            post(on_done, error)

        self._on_window_thread(register)
        try:
            async with grab_time_limit():
                await grabbed
            yield presses
        finally:
            self._on_window_thread(lambda: self._carbon.unregister(number))  # after `register`, if that waits


class _Carbon:
    """The registered hot keys, by their numbers. Belongs to the thread of the window."""

    def __init__(self) -> None:
        self._references: dict[int, c_void_p] = {}
        self._on_pressed: dict[int, Callable[[], None]] = {}
        self._library: Any = None
        self._handler = _Handler(self._handle)

    def register(self, hot_key: HotKey, number: int, on_pressed: Callable[[], None]) -> None:
        """Register a hot key. Raises `AppError`s, and `OSError` if the library can't be loaded."""
        if (code := _CODES.get(hot_key.key)) is None:
            raise no_such_key_error(hot_key)
        library, reference = self._loaded(), c_void_p()
        modifiers = sum(_MODIFIERS[name] for name in hot_key.modifiers)
        target = library.GetEventDispatcherTarget()
        status = library.RegisterEventHotKey(
            code, modifiers, _HotKeyId(_SIGNATURE, number), target, _EXCLUSIVE, byref(reference)
        )
        if status == _ALREADY_REGISTERED:
            raise taken_error(hot_key)
        _require(status)
        self._references[number], self._on_pressed[number] = reference, on_pressed

    def unregister(self, number: int) -> None:
        """Unregister a hot key, if it is registered."""
        self._on_pressed.pop(number, None)
        if (reference := self._references.pop(number, None)) is not None:
            self._library.UnregisterEventHotKey(reference)

    def _loaded(self) -> Any:
        """The library, with the handler of hot keys installed."""
        if self._library is None:
            library: Any = ctypes.CDLL(_CARBON)
            library.GetEventDispatcherTarget.restype = c_void_p
            library.RegisterEventHotKey.argtypes = (
                *(c_uint32, c_uint32, _HotKeyId),
                *(c_void_p, c_uint32, POINTER(c_void_p)),
            )
            library.UnregisterEventHotKey.argtypes = (c_void_p,)
            library.InstallEventHandler.argtypes = (
                *(c_void_p, _Handler, c_ulong),
                *(POINTER(_EventType), c_void_p, c_void_p),
            )
            library.GetEventParameter.argtypes = (
                *(c_void_p, c_uint32, c_uint32, c_void_p),
                *(c_ulong, c_void_p, c_void_p),
            )
            wanted = _EventType(_KEYBOARD_EVENTS, _HOT_KEY_PRESSED)
            target = library.GetEventDispatcherTarget()
            _require(library.InstallEventHandler(target, self._handler, 1, byref(wanted), None, None))
            self._library = library
        return self._library

    def _handle(self, _caller: object, event: int, _data: object) -> int:
        found = _HotKeyId()
        size = ctypes.sizeof(found)
        self._library.GetEventParameter(
            event, _DIRECT_OBJECT, _HOT_KEY_ID, None, size, None, ctypes.addressof(found)
        )
        if (on_pressed := self._on_pressed.get(found.number)) is not None:
            on_pressed()
        return 0


def _require(status: int) -> None:
    if status:
        raise AppError(
            f"macOS rejected the hot key (error {status})", todo="Choose other keys in the trigger."
        )
