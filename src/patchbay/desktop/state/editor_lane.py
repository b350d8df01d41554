"""Writes to one flow, one after the other, so that an older answer never overtakes a newer edit."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.tasks import Task, Tasks
from patchbay.domain.errors import AppError, ServerFault, StorageFault, TimedOut, Unreachable

RETRYABLE = (Unreachable, TimedOut, ServerFault, StorageFault)

Write = Callable[[], Coroutine[Any, Any, Any]]


@dataclass(frozen=True)
class Queued:
    """A write waiting its turn. Of waiting writes with the same `key` only the newest is sent."""

    write: Write
    done: Callable[[Any], object] | None = None
    key: object = None


class WriteLane(QObject):
    """A queue of writes. One that fails for want of a connection stays first and waits for `retry`."""

    changed = Signal()
    refused = Signal(object)

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._waiting: list[Queued] = []
        self._current: Queued | None = None
        self._task: Task | None = None
        self._when_idle: list[Callable[[], object]] = []
        self.stuck: AppError | None = None

    @property
    def idle(self) -> bool:
        return self._current is None and not self._waiting

    def add(self, write: Write, *, done: Callable[[Any], object] | None = None, key: object = None) -> None:
        if key is not None:
            self._waiting = [item for item in self._waiting if item.key != key]
        self._waiting.append(Queued(write, done, key))
        self._next()
        self.changed.emit()

    def when_idle(self, callback: Callable[[], object]) -> None:
        """Call back once everything is written; at once when nothing waits."""
        if self.idle:
            callback()
        else:
            self._when_idle.append(callback)

    def retry(self) -> None:
        """Send again what could not be sent."""
        self.stuck = None
        self._next()
        self.changed.emit()

    def clear(self) -> None:
        """Forget what was not sent yet."""
        self._waiting, self._when_idle, self.stuck = [], [], None

    def _next(self) -> None:
        if self._current is not None or self.stuck is not None or not self._waiting:
            return
        self._current = current = self._waiting.pop(0)
        self._task = self._tasks.run(
            self, current.write(), done=lambda value: self._done(current, value), failed=self._failed
        )
        self._task.ended.connect(self._ended)

    def _done(self, written: Queued, value: Any) -> None:
        if written.done is not None:
            written.done(value)

    def _failed(self, error: AppError) -> None:
        failed = self._current
        if isinstance(error, RETRYABLE) and failed is not None:
            self.stuck = error
            superseded = failed.key is not None and any(item.key == failed.key for item in self._waiting)
            if not superseded:
                self._waiting.insert(0, failed)
        self.refused.emit(error)

    def _ended(self) -> None:
        self._current = None
        self._next()
        if self.idle:
            callbacks, self._when_idle = self._when_idle, []
            for callback in callbacks:
                callback()
        self.changed.emit()
