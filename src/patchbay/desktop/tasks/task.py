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
        cancelled: Future[T] = Future()
        cancelled.cancel()
        return cancelled

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


log = logging.getLogger("tasks")

Work = Coroutine[Any, Any, Any]
OnDone = Callable[[Any], object]
OnFailed = Callable[[AppError], object]


class Task(QObject):
    """One piece of work under way. Signals arrive on the thread of the window.

    `done(result)`, `failed(AppError)` and `cancelled` are exclusive; `ended` follows each of them. A bug (any
    other exception) goes to `sys.excepthook`, the crash path, and only `ended` is emitted. When the owner is
    destroyed the work is cancelled and nothing is emitted.
    """

    done = Signal(object)
    failed = Signal(object)
    cancelled = Signal()
    ended = Signal()
    _arrived = Signal(object)

    def __init__(self, owner: QObject) -> None:
        super().__init__()
        # Not a child of the owner: a callback may hold the owner's last reference, and letting go of it while
        # the task is deleted would have the owner delete its child once more.
        self._future: Future[Any] | None = None
        self._owner_destroyed = False
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        owner.destroyed.connect(self._on_owner_destroyed)
        _running_tasks.add(self)

    def start(self, loop: LoopThread, work: Work) -> None:
        self._future = loop.submit(work)
        self._future.add_done_callback(self._on_future_done)

    def cancel(self) -> None:
        """Ask the work to stop; `cancelled` follows when it has."""
        if self._future is not None:
            self._future.cancel()

    def _on_future_done(self, future: Future[Any]) -> None:
        try:
            self._arrived.emit(future)
        except RuntimeError:  # the application is going away
            log.debug("dropped the result of a task that nobody waits for")

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
        except Exception:  # noqa: BLE001  a bug: hand it to the crash path, whole
            sys.excepthook(*sys.exc_info())
        else:
            self.done.emit(result)
        self.ended.emit()


_running_tasks: set[Task] = set()
"""Keeps tasks until their outcome is delivered."""


class Tasks:
    """Starts tasks. Given to view-models by constructor; tests hand in one over their own loop."""

    def __init__(self, loop: LoopThread) -> None:
        self._loop = loop

    def run(
        self, owner: QObject, work: Work, *, done: OnDone | None = None, failed: OnFailed | None = None
    ) -> Task:
        """Run `work` for `owner`. The callbacks run on the window's thread, never after `owner` is gone."""
        task = Task(owner)
        if done is not None:
            task.done.connect(done)
        if failed is not None:
            task.failed.connect(failed)
        task.start(self._loop, work)
        return task


class LatestRequest:
    """At most one read under way for one purpose, whose result is always that of the newest request.

    `ask` is for a new question: it cancels the read that is running. `refresh` is for the same question once
    more: it lets the running read finish and then reads once again, however often it was called meanwhile.
    With `ask` in its place, a list that changes faster than it can be read would never show anything.
    """

    def __init__(self, tasks: Tasks, owner: QObject) -> None:
        self._tasks, self._owner = tasks, owner
        self._generation = 0
        self._task: Task | None = None
        self._pending_refresh: Callable[[], object] | None = None

    @property
    def is_running(self) -> bool:
        """Whether a result is still to come."""
        return self._task is not None

    def refresh(self, make_work: Callable[[], Work], *, done: OnDone, failed: OnFailed | None = None) -> None:
        """Read now, or once more after the read that is running; `make_work` is called when it starts."""
        if self._task is None:
            self.run(make_work(), done=done, failed=failed)
        else:
            self._pending_refresh = lambda: self.run(make_work(), done=done, failed=failed)

    def cancel(self) -> None:
        """Drop the read that is running and the one after it."""
        self._generation += 1
        self._pending_refresh = None
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def run(self, work: Work, *, done: OnDone, failed: OnFailed | None = None) -> Task:
        """Start a read in place of the one that is running."""
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
