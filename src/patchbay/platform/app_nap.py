"""Holds App Nap off: macOS delays the timers of programs whose windows aren't visible."""

import ctypes
import sys
from typing import Any

_USER_INITIATED_ALLOWING_SLEEP = 0x00EFFFFF
"""`NSActivityUserInitiatedAllowingIdleSystemSleep`: the computer may still sleep."""
_FOUNDATION = "/System/Library/Frameworks/Foundation.framework/Foundation"


class AppNapGuard:
    """Tells macOS that the program is at work, from `begin` to `end`. Does nothing on other systems."""

    def __init__(self) -> None:
        self._activity: int | None = None

    def begin(self, reason: str) -> None:
        """Hold App Nap off. `reason` is shown by tools of the system."""
        if sys.platform != "darwin" or self._activity is not None:
            return
        foundation = _Foundation()
        options = ctypes.c_uint64(_USER_INITIATED_ALLOWING_SLEEP)
        text = foundation.text(reason)
        activity = foundation.send(foundation.process(), "beginActivityWithOptions:reason:", options, text)
        self._activity = foundation.send(activity, "retain")

    def end(self) -> None:
        """Let macOS decide again."""
        activity, self._activity = self._activity, None
        if activity is not None:
            foundation = _Foundation()
            foundation.send(foundation.process(), "endActivity:", ctypes.c_void_p(activity))
            foundation.send(activity, "release")


class _Foundation:
    """Sends messages to Objective-C objects, which are addresses here."""

    def __init__(self) -> None:
        ctypes.CDLL(_FOUNDATION)  # its classes are known once it is loaded
        self._runtime = ctypes.CDLL("/usr/lib/libobjc.A.dylib")
        for function in (self._runtime.objc_getClass, self._runtime.sel_registerName):
            function.restype, function.argtypes = ctypes.c_void_p, (ctypes.c_char_p,)

    def process(self) -> int | None:
        """The information agent of this process."""
        return self.send(self._runtime.objc_getClass(b"NSProcessInfo"), "processInfo")

    def text(self, words: str) -> ctypes.c_void_p:
        """A string object."""
        string_class = self._runtime.objc_getClass(b"NSString")
        made = self.send(string_class, "stringWithUTF8String:", ctypes.c_char_p(words.encode()))
        return ctypes.c_void_p(made)

    def send(self, target: int | None, message: str, *arguments: Any) -> int | None:
        """Send a message. The function must have exactly the types of its arguments."""
        types = (ctypes.c_void_p, ctypes.c_void_p, *map(type, arguments))
        function = ctypes.CFUNCTYPE(ctypes.c_void_p, *types)(("objc_msgSend", self._runtime))
        selector = self._runtime.sel_registerName(message.encode())
        result: int | None = function(target, selector, *arguments)
        return result
