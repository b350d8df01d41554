"""Global hot keys: combinations that are noticed whatever window has the focus.

Only the grabbed combinations are reported by the system, and nothing else that is typed.
"""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Protocol

from patchbay.domain.errors import AppError, Conflict, NotSupported, TimedOut
from patchbay.domain.hot_keys import HotKey

GRAB_SECONDS = 20.0
"""Time limit for a system to grab a combination, or to release it."""
MAX_UNREAD = 20
"""Presses that are remembered until someone reads them."""

RunOnWindowThread = Callable[[Callable[[], object]], object]
"""Runs a function on the thread of the window soon."""


class Presses:
    """The presses of a grabbed combination. `pressed` and `failed` belong to the event loop, as the rest."""

    def __init__(self) -> None:
        self._found: asyncio.Queue[AppError | None] = asyncio.Queue(MAX_UNREAD)

    def pressed(self) -> None:
        """Note a press."""
        with suppress(asyncio.QueueFull):
            self._found.put_nowait(None)

    def failed(self, error: AppError) -> None:
        """Let `next` raise this error: the combination isn't grabbed any more."""
        if self._found.full():
            self._found.get_nowait()
        self._found.put_nowait(error)

    async def next(self) -> None:
        """Wait for a press. Raises the error of a grab that has ended."""
        if (error := await self._found.get()) is not None:
            raise error


class HotKeys(Protocol):
    """The hot keys of this system. Belongs to the event loop."""

    async def require_support(self) -> None:
        """Raise `NotSupported` if this system has no hot keys for programs."""
        ...

    def grabbed(self, hot_key: HotKey) -> AbstractAsyncContextManager[Presses]:
        """Grab a combination while the block runs.

        Raises `Conflict` if another program owns it, `NotSupported` if it can't be grabbed here at all, and
        `Forbidden` if the person declined.
        """
        ...


class KeyListener(Protocol):
    """Grabs a combination on a thread of its own."""

    def run(self, on_grabbed: Callable[[], None], on_pressed: Callable[[], None]) -> None:
        """Grab the combination, and report presses until `stop`. Raises `AppError`s."""
        ...

    def stop(self) -> None:
        """Let `run` release the combination and return. Called on any thread."""
        ...


class ThreadedHotKeys:
    """Implements `HotKeys` with a thread for each combination that is grabbed."""

    def __init__(self, listener_for: Callable[[HotKey], KeyListener]) -> None:
        self._listener_for = listener_for

    async def require_support(self) -> None:
        pass

    @asynccontextmanager
    async def grabbed(self, hot_key: HotKey) -> AsyncIterator[Presses]:
        loop, presses = asyncio.get_running_loop(), Presses()
        grabbed: asyncio.Future[None] = loop.create_future()
        ended = asyncio.Event()
        listener = self._listener_for(hot_key)

        def on_grabbed() -> None:
            if not grabbed.done():
                grabbed.set_result(None)

        def on_end(error: AppError | None) -> None:
            ended.set()
            failure = error or AppError("The system ended the hot key.", todo="Patchbay tries again soon.")
            if grabbed.done():
                presses.failed(failure)
            else:
                grabbed.set_exception(failure)

        def post(work: Callable[..., None], *given: object) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(work, *given)

        def run() -> None:
            error = None
            try:
                listener.run(lambda: post(on_grabbed), lambda: post(presses.pressed))
            except AppError as raised:
                error = raised
            except OSError as raised:  # a library that is missing, or a limit of the system
                error = AppError(f"The hot key can't be grabbed: {raised}.", todo="Restart Patchbay.")
            finally:
                post(on_end, error)

        # A daemon, because the system may not respond, and releases everything once the program ends.
        threading.Thread(target=run, name=f"hot key {hot_key.text}", daemon=True).start()
        try:
            async with grab_time_limit():
                await grabbed
            yield presses
        finally:
            listener.stop()
            if grabbed.done() and not grabbed.cancelled():
                grabbed.exception()  # what was raised already, or isn't awaited any more
            await _wait_for_end(ended)


@asynccontextmanager
async def grab_time_limit() -> AsyncIterator[None]:
    """Raise `TimedOut` if the system doesn't grab a combination in the block in time."""
    try:
        async with asyncio.timeout(GRAB_SECONDS) as limit:
            yield
    except TimeoutError:
        if not limit.expired():
            raise
        raise TimedOut(
            f"The system didn't respond to the hot key within {GRAB_SECONDS:.0f} seconds.",
            todo="Patchbay tries again soon.",
        ) from None


async def _wait_for_end(ended: asyncio.Event) -> None:
    """Wait until a combination is released, so that it can be grabbed again at once."""
    with suppress(TimeoutError):
        async with asyncio.timeout(GRAB_SECONDS):
            await ended.wait()


class NoHotKeys:
    """Implements `HotKeys` where the system offers none to programs."""

    async def require_support(self) -> None:
        raise NotSupported(
            "Patchbay can't notice hot keys on this system yet.",
            meaning="The flow would never start.",
            todo="Let a shortcut of your desktop run “patchbay flow run” with the name of the flow.",
            feature="hotKeys",
        )

    @asynccontextmanager
    async def grabbed(self, hot_key: HotKey) -> AsyncIterator[Presses]:
        await self.require_support()
        yield Presses()


def taken_error(hot_key: HotKey) -> Conflict:
    """The error for a combination that another program owns."""
    return Conflict(
        f"Another program or the desktop already uses {hot_key.text}",
        todo="Choose other keys in the trigger, or change that shortcut. Patchbay tries again automatically.",
    )


def no_such_key_error(hot_key: HotKey) -> NotSupported:
    """The error for a key that the keyboard doesn't have."""
    return NotSupported(
        f"The current keyboard layout has no key “{hot_key.key}”",
        todo="Choose other keys in the trigger.",
        feature="hotKeys",
    )


def hot_keys_of_system(platform: str, on_window_thread: RunOnWindowThread) -> HotKeys:
    """The hot keys for this platform of Qt (`QGuiApplication.platformName()`)."""
    # Each is imported here, because most windows have no hot keys.
    if platform == "wayland" or (platform == "xcb" and os.environ.get("WAYLAND_DISPLAY")):
        # With XWayland, X11 reports keys only while one of its own windows has the focus.
        from patchbay.platform.portal_hot_keys import PortalHotKeys

        return PortalHotKeys()
    if platform == "xcb":
        from patchbay.platform.x11_hot_keys import X11KeyListener

        return ThreadedHotKeys(X11KeyListener)
    if platform == "windows" and sys.platform == "win32":
        from patchbay.platform.windows_hot_keys import WindowsKeyListener

        return ThreadedHotKeys(WindowsKeyListener)
    if platform == "cocoa":
        from patchbay.platform.mac_hot_keys import MacHotKeys

        return MacHotKeys(on_window_thread)
    return NoHotKeys()
