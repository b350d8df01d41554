"""Runs code of app authors so that whatever it does, the program goes on."""

import ctypes
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class NeverEnded(Exception):
    """The code did not come to an end in time."""


class TriedToExit(Exception):
    """The code wanted to end the program. Its own error is the cause."""


class _Given(Generic[T]):
    """What a call gave: a value or an error."""

    value: T
    error: BaseException | None = None
    ended = False


def contained(call: Callable[[], T], seconds: float) -> T:
    """The value of the call. Raises what it raises, exits as `TriedToExit`, and `NeverEnded` after that time.

    It runs in a thread of its own, which is left behind when it hangs: asked to stop, but Python can stop
    only what is Python.
    """
    given: _Given[T] = _Given()

    def run() -> None:
        try:
            given.value = call()
        except BaseException as error:  # noqa: BLE001 - told to the caller
            given.error = error
        given.ended = True

    thread = threading.Thread(target=run, daemon=True, name="app-code")
    thread.start()
    thread.join(seconds)
    if not given.ended:
        _ask_to_stop(thread)
        raise NeverEnded(f"It did not come to an end within {seconds:g} seconds.")
    if isinstance(given.error, Exception):
        raise given.error
    if given.error is not None:
        raise TriedToExit(f"It raised {type(given.error).__name__}.") from given.error
    return given.value


def _ask_to_stop(thread: threading.Thread) -> None:
    """Raise `SystemExit` in the thread at its next step, so that an endless loop does not eat a processor."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
