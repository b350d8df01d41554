"""Hot keys on X11, each with a connection of its own to the X server (libxcb, which Qt needs as well)."""

import ctypes
import os
import select
from collections.abc import Callable, Iterator, Sequence
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_uint, c_uint8, c_uint16, c_uint32, c_void_p
from functools import cache
from itertools import chain, combinations
from typing import Any

from patchbay.domain.errors import AppError
from patchbay.domain.hot_keys import HotKey
from patchbay.platform.hot_keys import no_such_key_error, taken_error

_BAD_ACCESS = 10
_KEY_PRESS, _KEY_RELEASE, _MAPPING_NOTIFY = 2, 3, 34
_SYNTHETIC = 0x80
"""Set in events that another program sent: they are no presses."""
_ANY_KEY, _ANY_MODIFIER, _GRAB_MODE_ASYNC = 0, 0x8000, 1
_CAPS_LOCK_MASK = 0x02
_NUM_LOCK, _SCROLL_LOCK, _ALT, _META = 0xFF7F, 0xFF14, 0xFFE9, 0xFFEB
_REPLY_HEADER = 32
_KEYSYMS = {
    "Space": 0x20,
    "Tab": 0xFF09,
    "Enter": 0xFF0D,
    "Escape": 0xFF1B,
    "Backspace": 0xFF08,
    "Delete": 0xFFFF,
    "Insert": 0xFF63,
    "Home": 0xFF50,
    "End": 0xFF57,
    "PageUp": 0xFF55,
    "PageDown": 0xFF56,
    "Left": 0xFF51,
    "Up": 0xFF52,
    "Right": 0xFF53,
    "Down": 0xFF54,
}
_F1 = 0xFFBE


def keysym(key: str) -> int:
    """The number of a key on X11."""
    if key in _KEYSYMS:
        return _KEYSYMS[key]
    return ord(key.lower()) if len(key) == 1 else _F1 + int(key[1:]) - 1


class HeldKey:
    """Tells presses from the repetitions while a key is held.

    Each repetition is a release and a press at the same time, or only a press.
    """

    def __init__(self) -> None:
        self._is_held, self._released_at = False, -1

    def press(self, time: int) -> bool:
        """Note a press; returns whether the key was released before."""
        is_new = not self._is_held and time != self._released_at
        self._is_held = True
        return is_new

    def release(self, time: int) -> None:
        """Note a release."""
        self._is_held, self._released_at = False, time


class X11KeyListener:
    """Implements `KeyListener`. The end of its connection releases the combination."""

    def __init__(self, hot_key: HotKey) -> None:
        self._hot_key = hot_key
        self._stopped, self._stop = os.pipe()
        self._held = HeldKey()
        self._keycodes: frozenset[int] = frozenset()
        self._masks: tuple[int, ...] = ()

    def run(self, on_grabbed: Callable[[], None], on_pressed: Callable[[], None]) -> None:
        try:
            with _Connection() as server:
                self._grab(server)
                on_grabbed()
                is_stopped = False
                while not is_stopped:
                    for event in server.events():
                        self._handle(server, event, on_pressed)
                    is_stopped = self._is_stopped(server)
        finally:
            os.close(self._stopped)

    def stop(self) -> None:
        stop, self._stop = self._stop, -1
        if stop != -1:
            os.close(stop)

    def _is_stopped(self, server: "_Connection") -> bool:
        """Wait for an event, or for `stop`."""
        poller = select.poll()  # `select.select` takes no descriptors from 1024 on
        poller.register(server.file, select.POLLIN)
        poller.register(self._stopped, select.POLLIN)
        return any(file == self._stopped for file, _ in poller.poll())

    def _handle(self, server: "_Connection", event: "_KeyEvent", on_pressed: Callable[[], None]) -> None:
        if event.response_type == _MAPPING_NOTIFY:
            self._grab(server)  # the key may be elsewhere in the new layout
        elif event.keycode in self._keycodes:  # others are reported while the combination is held
            if event.response_type == _KEY_RELEASE:
                self._held.release(event.time)
            elif event.response_type == _KEY_PRESS and self._held.press(event.time):
                on_pressed()

    def _grab(self, server: "_Connection") -> None:
        """Grab the combination in the current layout of the keyboard."""
        keyboard = server.keyboard()
        keycodes = frozenset(keyboard.keycodes(keysym(self._hot_key.key)))
        if not keycodes:
            raise no_such_key_error(self._hot_key)
        masks = keyboard.masks(self._hot_key.modifiers)
        if (keycodes, masks) == (self._keycodes, self._masks):
            return
        server.release_all()
        self._keycodes, self._masks = keycodes, masks
        if not all(server.grab(keycode, mask) for keycode in keycodes for mask in masks):
            raise taken_error(self._hot_key)


class Keyboard:
    """A layout of the keyboard: the keysyms of each key, and the keys of each of the eight modifiers."""

    def __init__(
        self, first: int, keysyms: Sequence[Sequence[int]], modifiers: Sequence[Sequence[int]]
    ) -> None:
        self._first, self._keysyms, self._modifiers = first, keysyms, modifiers

    def keycodes(self, wanted: int) -> list[int]:
        """The keys with this keysym: those that have it without Shift, if there are any."""
        numbered = list(enumerate(self._keysyms, self._first))
        plain = [keycode for keycode, row in numbered if row[:1] == (wanted,)]
        return plain or [keycode for keycode, row in numbered if wanted in row]

    def masks(self, held: Sequence[str]) -> tuple[int, ...]:
        """The states of all modifiers in which these ones are held, whatever locks are on."""
        fixed = {"Ctrl": 0x04, "Shift": 0x01}
        named = {"Alt": self._mask(_ALT) or 0x08, "Meta": self._mask(_META) or 0x40}
        wanted = sum({**fixed, **named}[name] for name in held)
        locks = {_CAPS_LOCK_MASK, self._mask(_NUM_LOCK), self._mask(_SCROLL_LOCK)} - {0}
        free = sorted(lock for lock in locks if not lock & wanted)
        subsets = chain.from_iterable(combinations(free, count) for count in range(len(free) + 1))
        return tuple(wanted | sum(subset) for subset in subsets)

    def _mask(self, wanted: int) -> int:
        """The modifier of the key with this keysym; 0 if it is none."""
        keys = {keycode for keycode in self.keycodes(wanted) if keycode}
        return next((1 << bit for bit, held in enumerate(self._modifiers) if keys & set(held)), 0)


class _Cookie(Structure):
    _fields_ = (("sequence", c_uint),)


class _Setup(Structure):
    """The beginning of what the server says about itself."""

    _fields_ = (("_before", c_uint8 * 34), ("min_keycode", c_uint8), ("max_keycode", c_uint8))


class _Screens(Structure):
    """An iterator; `data` points to a screen, which begins with the number of its root window."""

    _fields_ = (("data", POINTER(c_uint32)), ("rem", c_int), ("index", c_int))


class _Reply(Structure):
    """The beginning of a reply. `width` is how many values each key or modifier has."""

    _fields_ = (("type", c_uint8), ("width", c_uint8), ("sequence", c_uint16), ("length", c_uint32))


class _Error(Structure):
    _fields_ = (("response_type", c_uint8), ("error_code", c_uint8))


class _KeyEvent(Structure):
    _fields_ = (("response_type", c_uint8), ("keycode", c_uint8), ("sequence", c_uint16), ("time", c_uint32))


@cache
def _xcb() -> Any:
    """The library, with the types of its functions."""
    library = ctypes.CDLL("libxcb.so.1")
    for name, result, arguments in (
        ("connect", c_void_p, (c_char_p, POINTER(c_int))),
        ("disconnect", None, (c_void_p,)),
        ("connection_has_error", c_int, (c_void_p,)),
        ("get_file_descriptor", c_int, (c_void_p,)),
        ("get_setup", POINTER(_Setup), (c_void_p,)),
        ("setup_roots_iterator", _Screens, (POINTER(_Setup),)),
        ("screen_next", None, (POINTER(_Screens),)),
        ("get_keyboard_mapping", _Cookie, (c_void_p, c_uint8, c_uint8)),
        ("get_keyboard_mapping_reply", c_void_p, (c_void_p, _Cookie, c_void_p)),
        ("get_modifier_mapping", _Cookie, (c_void_p,)),
        ("get_modifier_mapping_reply", c_void_p, (c_void_p, _Cookie, c_void_p)),
        (
            "grab_key_checked",
            _Cookie,
            (c_void_p, c_uint8, c_uint32, c_uint16, c_uint8, c_uint8, c_uint8),
        ),
        ("ungrab_key_checked", _Cookie, (c_void_p, c_uint8, c_uint32, c_uint16)),
        ("request_check", c_void_p, (c_void_p, _Cookie)),
        ("poll_for_event", c_void_p, (c_void_p,)),
    ):
        function = getattr(library, f"xcb_{name}")
        function.restype, function.argtypes = result, arguments
    return library


@cache
def _free() -> Any:
    free = ctypes.CDLL(None).free
    free.restype, free.argtypes = None, (c_void_p,)
    return free


class _Connection:
    """A connection to the X server, for one thread. It blocks."""

    def __init__(self) -> None:
        self._xcb = _xcb()
        self._server = self._xcb.xcb_connect(None, None)
        if self._xcb.xcb_connection_has_error(self._server):
            self._xcb.xcb_disconnect(self._server)
            raise _lost_error()
        self.file: int = self._xcb.xcb_get_file_descriptor(self._server)
        self._setup = self._xcb.xcb_get_setup(self._server)
        self._roots = tuple(self._find_roots())

    def __enter__(self) -> "_Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self._xcb.xcb_disconnect(self._server)

    def _find_roots(self) -> Iterator[int]:
        screens = self._xcb.xcb_setup_roots_iterator(self._setup)
        while screens.rem > 0:
            yield screens.data[0]
            self._xcb.xcb_screen_next(byref(screens))

    def events(self) -> Iterator[_KeyEvent]:
        """The events that have arrived."""
        while found := self._xcb.xcb_poll_for_event(self._server):
            event = _KeyEvent.from_buffer_copy(ctypes.string_at(found, ctypes.sizeof(_KeyEvent)))
            _free()(found)
            if not event.response_type & _SYNTHETIC:
                yield event
        if self._xcb.xcb_connection_has_error(self._server):
            raise _lost_error()

    def keyboard(self) -> Keyboard:
        """The current layout of the keyboard."""
        first, last = self._setup.contents.min_keycode, self._setup.contents.max_keycode
        keysyms = self._rows("get_keyboard_mapping", c_uint32, first, last - first + 1)
        return Keyboard(first, keysyms, self._rows("get_modifier_mapping", c_uint8))

    def _rows(self, request: str, kind: Any, *arguments: int) -> list[tuple[int, ...]]:
        """The values in the reply to a request, a row for each key or modifier."""
        cookie = getattr(self._xcb, f"xcb_{request}")(self._server, *arguments)
        found = getattr(self._xcb, f"xcb_{request}_reply")(self._server, cookie, None)
        if not found:
            raise _lost_error()
        try:
            reply = _Reply.from_address(found)
            count = reply.length * 4 // ctypes.sizeof(kind)
            values = (kind * count).from_address(found + _REPLY_HEADER)[:]
            return [tuple(values[at : at + reply.width]) for at in range(0, count, max(reply.width, 1))]
        finally:
            _free()(found)

    def grab(self, keycode: int, mask: int) -> bool:
        """Grab a key with these modifiers on all screens; returns False if another program has."""
        asynchronous = (_GRAB_MODE_ASYNC, _GRAB_MODE_ASYNC)
        grabs = [
            self._xcb.xcb_grab_key_checked(self._server, 0, root, mask, keycode, *asynchronous)
            for root in self._roots
        ]
        codes = [self._error_code(cookie) for cookie in grabs]
        if set(codes) - {0, _BAD_ACCESS}:
            raise AppError("The X server rejected the hot key.", todo="Choose other keys in the trigger.")
        return _BAD_ACCESS not in codes

    def release_all(self) -> None:
        """Release all keys of this connection."""
        for root in self._roots:
            self._error_code(self._xcb.xcb_ungrab_key_checked(self._server, _ANY_KEY, root, _ANY_MODIFIER))

    def _error_code(self, cookie: _Cookie) -> int:
        """The code of the error that a request caused; 0 if it succeeded."""
        found = self._xcb.xcb_request_check(self._server, cookie)
        if not found:
            return 0
        code: int = _Error.from_address(found).error_code
        _free()(found)
        return code


def _lost_error() -> AppError:
    return AppError(
        "The connection to the X server failed",
        todo="Patchbay tries again soon. If that doesn't help, restart it.",
    )
