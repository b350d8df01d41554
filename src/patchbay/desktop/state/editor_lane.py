"""Writes to one flow, one after the other, so that an older answer never overtakes a newer edit."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.tasks import Task, Tasks
from patchbay.domain.errors import AppError, ServerFault, StorageFault, TimedOut, Unreachable

RETRYABLE = (Unreachable, TimedOut, ServerFault, StorageFault)

Write = Callable[[], Coroutine[Any, Any, Any]]
Failed = Callable[[AppError], object]


@dataclass(frozen=True)
class Queued:
    """A write waiting its turn. Of waiting writes with the same `key` only the newest is sent."""

    write: Write
    done: Callable[[Any], object] | None = None
    key: object = None


class WriteLane(QObject):
    """A queue of writes.

    An edit (a write with a `key`) that fails for want of a connection or of room on the disk stays first
    and waits for `retry`. Any other write is given up then: people see that it failed, and do it again.
    """

    changed = Signal()
    refused = Signal(object)
    """A write failed, be it kept or given up."""
    given_up = Signal(object)
    """A write failed that is not tried again."""

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._waiting: list[Queued] = []
        self._current: Queued | None = None
        self._task: Task | None = None
        self._when_idle: list[tuple[Callable[[], object], Failed | None]] = []
        self.stuck: AppError | None = None

    @property
    def idle(self) -> bool:
        return self._current is None and not self._waiting

    def add(self, write: Write, *, done: Callable[[Any], object] | None = None, key: object = None) -> None:
        if key is not None:
            self._waiting = [item for item in self._waiting if item.key != key]
        self._waiting.append(Queued(write, done, key))
        if key is None:
            self.stuck = None  # somebody waits for this one: try at once, with what could not be sent before
        self._next()
        self.changed.emit()

    def when_idle(self, callback: Callable[[], object], failed: Failed | None = None) -> None:
        """Call back once everything is written; at once when nothing waits.

        With `failed` what could not be sent is tried now, and `failed` called when that doesn't help.
        """
        if self.idle:
            callback()
            return
        self._when_idle.append((callback, failed))
        if failed is not None and self.stuck is not None:
            self.retry()

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
        gives_up = True
        if isinstance(error, RETRYABLE) and failed is not None:
            gives_up = self._keep_edits(failed)
            self.stuck = error if self._waiting else None
        self.refused.emit(error)
        if gives_up:
            self.given_up.emit(error)
        if self.stuck is not None:
            self._tell_those_who_wait(error)

    def _keep_edits(self, failed: Queued) -> bool:
        """Keep the edits among what is not written, and nothing else; returns whether that gives up any."""
        superseded = any(item.key == failed.key for item in self._waiting if item.key is not None)
        unwritten = self._waiting if superseded else [failed, *self._waiting]
        self._waiting = [item for item in unwritten if item.key is not None]
        return len(self._waiting) < len(unwritten)

    def _tell_those_who_wait(self, error: AppError) -> None:
        waiting, self._when_idle = self._when_idle, []
        for callback, failed in waiting:
            if failed is None:
                self._when_idle.append((callback, failed))
            else:
                failed(error)

    def _ended(self) -> None:
        self._current = None
        self._next()
        if self.idle:
            waiting, self._when_idle = self._when_idle, []
            for callback, _ in waiting:
                callback()
        self.changed.emit()
