"""Coroutines on the loop thread, with results as queued Qt signals."""

import asyncio
import logging
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from patchbay.domain.errors import AppError

T = TypeVar("T")


class LoopThread:
    """A thread that runs an asyncio loop. `submit` can be called from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="patchbay-loop", daemon=True)

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop that runs in the thread."""
        return self._loop

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine on the loop. The returned future is cancelled if the loop has stopped."""
        if not self._loop.is_closed():
            return asyncio.run_coroutine_threadsafe(work, self._loop)
        work.close()
        cancelled: Future[T] = Future()
        cancelled.cancel()
        return cancelled

    def stop(self, seconds: float = 10.0) -> None:
        """Cancel the remaining tasks, wait for them, and end the thread; wait at most `seconds`."""
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


log = logging.getLogger("tasks")

Work = Coroutine[Any, Any, Any]
OnDone = Callable[[Any], object]
OnFailed = Callable[[AppError], object]


class Task(QObject):
    """A running coroutine, with its outcome as signals on the window's thread.

    Exactly one of `done(result)`, `failed(AppError)`, and `cancelled` is emitted, then `ended`. Any other
    exception is a bug: it goes to `sys.excepthook`, which reports crashes, and only `ended` is emitted. When
    the owner is destroyed, the coroutine is cancelled and nothing is emitted.
    """

    done = Signal(object)
    failed = Signal(object)
    cancelled = Signal()
    ended = Signal()
    _arrived = Signal(object)

    def __init__(self, owner: QObject) -> None:
        super().__init__()
        # Not a child of the owner: a callback may hold the owner's last reference. Releasing it while the
        # task is deleted would delete the owner, which would then delete its child again.
        self._future: Future[Any] | None = None
        self._owner_destroyed = False
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        owner.destroyed.connect(self._on_owner_destroyed)
        _running_tasks.add(self)

    def start(self, loop: LoopThread, work: Work) -> None:
        """Run the coroutine on the loop; the result is delivered as a signal."""
        self._future = loop.submit(work)
        self._future.add_done_callback(self._on_future_done)

    def cancel(self) -> None:
        """Cancel the coroutine; `cancelled` is emitted once it has ended."""
        if self._future is not None:
            self._future.cancel()

    def _on_future_done(self, future: Future[Any]) -> None:
        try:
            self._arrived.emit(future)
        except RuntimeError:  # the application is shutting down
            log.debug("dropped the result of a task that no one waits for")

    @Slot()
    def _on_owner_destroyed(self) -> None:
        self._owner_destroyed = True
        self.cancel()

    @Slot(object)
    def _deliver(self, future: Future[Any]) -> None:
        if not self._owner_destroyed:
            self._emit_outcome(future)
        _running_tasks.discard(self)
        self.deleteLater()

    def _emit_outcome(self, future: Future[Any]) -> None:
        try:
            result = future.result()
        except (CancelledError, asyncio.CancelledError):
            self.cancelled.emit()
        except AppError as error:
            self.failed.emit(error)
        except Exception:  # noqa: BLE001  a bug, reported with its traceback
            sys.excepthook(*sys.exc_info())
        else:
            self.done.emit(result)
        self.ended.emit()


_running_tasks: set[Task] = set()
"""References that keep tasks alive until their outcome is delivered."""


class Tasks:
    """Starts tasks. View-models get it through their constructor; tests pass one with their own loop."""

    def __init__(self, loop: LoopThread) -> None:
        self._loop = loop

    def run(
        self, owner: QObject, work: Work, *, done: OnDone | None = None, failed: OnFailed | None = None
    ) -> Task:
        """Run `work` for `owner`. Callbacks run on the window's thread, never after `owner` is destroyed."""
        task = Task(owner)
        if done is not None:
            task.done.connect(done)
        if failed is not None:
            task.failed.connect(failed)
        task.start(self._loop, work)
        return task


class LatestRequest:
    """At most one running request for one purpose; only the result of the newest is delivered.

    `run` starts a new request and cancels the running one. `refresh` repeats the request after the running
    one has finished, once, however often it was called. With `run` in its place, a list that changes faster
    than it loads would never show anything.
    """

    def __init__(self, tasks: Tasks, owner: QObject) -> None:
        self._tasks, self._owner = tasks, owner
        self._generation = 0
        self._task: Task | None = None
        self._pending_refresh: Callable[[], object] | None = None

    @property
    def is_running(self) -> bool:
        """Whether a request is running."""
        return self._task is not None

    def refresh(self, make_work: Callable[[], Work], *, done: OnDone, failed: OnFailed | None = None) -> None:
        """Start a request now, or after the running one; `make_work` is called when it starts."""
        if self._task is None:
            self.run(make_work(), done=done, failed=failed)
        else:
            self._pending_refresh = lambda: self.run(make_work(), done=done, failed=failed)

    def cancel(self) -> None:
        """Cancel the running request and the one after it."""
        self._generation += 1
        self._pending_refresh = None
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def run(self, work: Work, *, done: OnDone, failed: OnFailed | None = None) -> Task:
        """Start a request and cancel the running one."""
        self._pending_refresh = None
        if self._task is not None:
            self._task.cancel()
        self._generation += 1
        generation = self._generation

        def current(callback: Callable[[Any], object]) -> Callable[[Any], object]:
            return lambda value: callback(value) if generation == self._generation else None

        self._task = task = self._tasks.run(
            self._owner, work, done=current(done), failed=current(failed) if failed else None
        )
        task.ended.connect(lambda: self._on_ended(task))
        return task

    def _on_ended(self, task: Task) -> None:
        if self._task is not task:
            return
        self._task = None
        refresh, self._pending_refresh = self._pending_refresh, None
        if refresh is not None:
            refresh()
