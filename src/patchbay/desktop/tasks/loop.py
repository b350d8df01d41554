"""One asyncio loop in one background thread: all I/O of the window happens there."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """A running asyncio loop. `submit` may be called from any thread; `stop` waits for the thread's end."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="patchbay-loop", daemon=True)

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        return self._loop

    def start(self) -> None:
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine on the loop; its result arrives in the returned future, cancelled once stopped."""
        if not self._loop.is_closed():
            return asyncio.run_coroutine_threadsafe(work, self._loop)
        work.close()
        late: Future[T] = Future()
        late.cancel()
        return late

    def stop(self, seconds: float = 10.0) -> None:
        """Cancel what is left, let it finish, and end the thread within `seconds`."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(seconds)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        pending = asyncio.all_tasks(self._loop)
        for task in pending:
            task.cancel()
        if pending:
            self._loop.run_until_complete(asyncio.wait(pending, timeout=5))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()
