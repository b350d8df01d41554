"""Calls from the event loop to the window's thread, the opposite direction of `Tasks`."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from patchbay.domain.errors import TimedOut

SECONDS = 20.0
"""Time limit of a call: after the window's event loop has ended, no call is carried out."""

T = TypeVar("T")


class WindowCalls(QObject):
    """Runs functions on the thread that this object belongs to. The functions must not wait.

    Their results must not be Qt objects with a thread, which would be destroyed on the event loop's.
    """

    _requested = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._requested.connect(self._run, Qt.ConnectionType.QueuedConnection)

    async def call(self, work: Callable[[], T], seconds: float = SECONDS) -> T:
        """The result of `work`, or what it raises. Raises `TimedOut` if the window doesn't respond."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def run() -> None:
            if future.cancelled():
                return
            try:
                resolve = partial(future.set_result, work())
            except Exception as error:  # noqa: BLE001  raised where the call was made
                resolve = partial(future.set_exception, error)
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(lambda: None if future.done() else resolve())

        self.post(run)
        try:
            async with asyncio.timeout(seconds) as limit:
                return await future
        except TimeoutError:
            if not limit.expired():
                raise
            raise TimedOut("The Patchbay window doesn't respond.", todo="Try again.") from None

    def post(self, work: Callable[[], object]) -> None:
        """Run `work` on the window's thread soon. Can be called on any thread."""
        with suppress(RuntimeError):  # the window is gone
            self._requested.emit(work)

    @Slot(object)
    def _run(self, work: Callable[[], object]) -> None:
        work()
