"""The draft being edited: queued writes, undo history, and the flow with unsaved edits on top."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core.services import Services
from patchbay.desktop.editor.view_models.step_tree import StepTree
from patchbay.desktop.tasks import Task, Tasks
from patchbay.domain.base import EpochMs, FlowId, StepId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import AppError, ServerFault, StorageFault, TimedOut, Unreachable
from patchbay.domain.flows import Flow, Step, StepChange, StepStatus

RETRYABLE_ERRORS = (Unreachable, TimedOut, ServerFault, StorageFault)

Write = Callable[[], Coroutine[Any, Any, Any]]
OnFailed = Callable[[AppError], object]


@dataclass(frozen=True)
class QueuedWrite:
    """A queued write. Of queued writes with the same `key` only the latest is sent."""

    write: Write
    done: Callable[[Any], object] | None = None
    key: object = None


class WriteQueue(QObject):
    """A queue of writes, sent one at a time so that older responses can't overwrite newer edits.

    An edit (a write with a `key`) that fails because of the connection or a full disk stays queued and
    waits for `retry`. Any other failed write is dropped.
    """

    changed = Signal()
    write_failed = Signal(object)
    """A write failed, whether it stays queued or was dropped."""
    write_dropped = Signal(object)
    """A write failed and was dropped."""

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._pending: list[QueuedWrite] = []
        self._current: QueuedWrite | None = None
        self._task: Task | None = None
        self._idle_callbacks: list[tuple[Callable[[], object], OnFailed | None]] = []
        self.write_error: AppError | None = None

    @property
    def idle(self) -> bool:
        """Whether nothing is being written or waiting."""
        return self._current is None and not self._pending

    def add(self, write: Write, *, done: Callable[[Any], object] | None = None, key: object = None) -> None:
        if key is not None:
            self._pending = [item for item in self._pending if item.key != key]
        self._pending.append(QueuedWrite(write, done, key))
        if key is None:
            self.write_error = None  # the caller waits for this write: retry now, blocked writes included
        self._next()
        self.changed.emit()

    def run_when_idle(self, callback: Callable[[], object], failed: OnFailed | None = None) -> None:
        """Call `callback` once everything is written, immediately if nothing is queued.

        With `failed`, blocked writes are retried now, and `failed` is called if that fails.
        """
        if self.idle:
            callback()
            return
        self._idle_callbacks.append((callback, failed))
        if failed is not None and self.write_error is not None:
            self.retry()

    def retry(self) -> None:
        """Retry blocked writes."""
        self.write_error = None
        self._next()
        self.changed.emit()

    def clear(self) -> None:
        """Drop unsent writes."""
        self._pending = []
        self._idle_callbacks = []
        self.write_error = None

    def _next(self) -> None:
        if self._current is not None or self.write_error is not None or not self._pending:
            return
        self._current = current = self._pending.pop(0)
        self._task = self._tasks.run(
            self, current.write(), done=lambda value: self._on_done(current, value), failed=self._on_failed
        )
        self._task.ended.connect(self._on_ended)

    def _on_done(self, written: QueuedWrite, value: Any) -> None:
        if written.done is not None:
            written.done(value)

    def _on_failed(self, error: AppError) -> None:
        failed = self._current
        dropped = True
        if isinstance(error, RETRYABLE_ERRORS) and failed is not None:
            dropped = self._requeue_edits(failed)
            self.write_error = error if self._pending else None
        self.write_failed.emit(error)
        if dropped:
            self.write_dropped.emit(error)
        if self.write_error is not None:
            self._notify_waiters(error)

    def _requeue_edits(self, failed: QueuedWrite) -> bool:
        """Keep only unsent edits; returns whether other writes were dropped."""
        superseded = any(item.key == failed.key for item in self._pending if item.key is not None)
        unwritten = self._pending if superseded else [failed, *self._pending]
        self._pending = [item for item in unwritten if item.key is not None]
        return len(self._pending) < len(unwritten)

    def _notify_waiters(self, error: AppError) -> None:
        waiting, self._idle_callbacks = self._idle_callbacks, []
        for callback, failed in waiting:
            if failed is None:
                self._idle_callbacks.append((callback, failed))
            else:
                failed(error)

    def _on_ended(self) -> None:
        self._current = None
        self._next()
        if self.idle:
            waiting, self._idle_callbacks = self._idle_callbacks, []
            for callback, _ in waiting:
                callback()
        self.changed.emit()


# Undo history

MAX_ENTRIES = 200


@dataclass(frozen=True, eq=False)
class UndoEntry:
    """One undo step. Consecutive entries with the same `merge` key are undone together."""

    label: str
    undo: Callable[[], None]
    redo: Callable[[], None]
    merge: object = None


class UndoHistory(QObject):
    """The undo history."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._undo_stack: list[UndoEntry] = []
        self._redo_stack: list[UndoEntry] = []

    @property
    def last(self) -> UndoEntry | None:
        """The entry that Undo would undo; None if there is nothing."""
        return self._undo_stack[-1] if self._undo_stack else None

    @property
    def undo_label(self) -> str | None:
        """What Undo would undo; None if there is nothing."""
        return self.last.label if self.last else None

    @property
    def redo_label(self) -> str | None:
        """What Redo would repeat; None if there is nothing."""
        return self._redo_stack[-1].label if self._redo_stack else None

    def add(self, entry: UndoEntry) -> None:
        last = self.last
        if last is not None and entry.merge is not None and last.merge == entry.merge:
            self._undo_stack[-1] = UndoEntry(last.label, last.undo, entry.redo, last.merge)
        else:
            self._undo_stack = [*self._undo_stack, entry][-MAX_ENTRIES:]
        self._redo_stack = []
        self.changed.emit()

    def seal(self) -> None:
        """Start a new undo step, even in the same field."""
        if self._undo_stack and self._undo_stack[-1].merge is not None:
            last = self._undo_stack[-1]
            self._undo_stack[-1] = UndoEntry(last.label, last.undo, last.redo)

    def undo(self) -> None:
        """Undo the last change."""
        if self._undo_stack:
            self.undo_entry(self._undo_stack[-1])

    def undo_entry(self, entry: UndoEntry) -> None:
        """Undo one entry regardless of later ones; ignored if already undone."""
        if entry in self._undo_stack:
            self._undo_stack.remove(entry)
            self._redo_stack.append(entry)
            entry.undo()
            self.changed.emit()

    def redo(self) -> None:
        """Repeat the change that was undone last."""
        if self._redo_stack:
            entry = self._redo_stack.pop()
            self._undo_stack.append(entry)
            entry.redo()
            self.changed.emit()

    def clear(self) -> None:
        """Forget all changes."""
        self._undo_stack, self._redo_stack = [], []
        self.changed.emit()


# Draft

IDLE_MS = 800
"""Edits are saved after a typing pause of this length."""


def combined_change(old: StepChange | None, new: StepChange) -> StepChange:
    """Merge two edits; the newer wins field by field."""
    return StepChange(**({} if old is None else set_fields(old)) | set_fields(new))


def set_fields(change: StepChange) -> dict[str, Any]:
    """Return only the fields that were set."""
    return {name: getattr(change, name) for name in change.model_fields_set}


def apply_change(step: Step, change: StepChange) -> Step:
    """Return the step with an edit applied; its test stays valid if behaviour doesn't change."""
    values = set_fields(change)
    if "parameters" in values:
        values["parameters"] = values["parameters"] or {}
    after = step.model_copy(update=values)
    if after.behaves_like(step):
        return after
    return after.model_copy(update={"status": StepStatus.INCOMPLETE, "tested": None})


class FlowDraft(QObject):
    """The flow being edited. `changed` after any change of `flow`; `save_changed` for its saving state."""

    changed = Signal()
    save_changed = Signal()

    def __init__(self, services: Services, flow: Flow, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._backend, self._clock = services.backend, services.clock
        self._server_flow = flow
        self._edits: dict[StepId, StepChange] = {}
        self._sent: dict[StepId, StepChange] = {}
        self.flow, self.tree = flow, StepTree(flow.steps)
        self.saved_at: EpochMs | None = None
        self.error: AppError | None = None
        self.write_queue = WriteQueue(services.tasks, self)
        self.write_queue.write_failed.connect(self._on_write_failed)
        self.write_queue.changed.connect(self.save_changed)
        self._timer = QTimer(self, singleShot=True, interval=IDLE_MS)
        self._timer.timeout.connect(self.flush)
        services.feed.changed.connect(self._on_change)

    @property
    def id(self) -> FlowId:
        """The ID of the flow."""
        return self.flow.id

    @property
    def saved(self) -> bool:
        """Whether everything shown is saved."""
        return not self._edits and self.write_queue.idle

    def edit(self, step_id: StepId, change: StepChange, *, immediate: bool = False) -> None:
        """Apply an edit; it is sent after a typing pause, or immediately."""
        self._edits[step_id] = combined_change(self._edits.get(step_id), change)
        self._rebuild()
        self._timer.start()
        if immediate:
            self.flush()
        self.save_changed.emit()

    def flush(self) -> None:
        """Send all pending edits."""
        self._timer.stop()
        for step_id, change in self._edits.items():
            if self._sent.get(step_id) != change:
                self._sent[step_id] = change
                self.write_queue.add(
                    partial(self._backend.update_step, step_id, change),
                    done=partial(self._on_saved, step_id, change),
                    key=("update", step_id),
                )

    def write(self, send: Write, done: Callable[[Flow], object] | None = None, *, key: object = None) -> None:
        """Queue another write that returns the flow, after all pending edits.

        With a `key` it is treated as an edit (`WriteQueue`).
        """
        self.flush()

        def on_written(flow: Flow) -> None:
            self.apply_server_flow(flow)
            if done is not None:
                done(flow)

        self.write_queue.add(send, done=on_written, key=key)

    def set_displayed_name(self, name: str) -> None:
        """Show another name without writing it."""
        self._server_flow = self._server_flow.model_copy(update={"name": name})
        self._rebuild()

    def apply_server_flow(self, flow: Flow) -> None:
        """Apply the flow returned by the workspace; unsent edits stay on top."""
        if flow.id != self._server_flow.id:
            return
        self._server_flow = flow
        self.saved_at, self.error = self._clock(), None
        self._rebuild()
        self.save_changed.emit()

    def _on_saved(self, step_id: StepId, change: StepChange, flow: Flow) -> None:
        if self._edits.get(step_id) == change:
            del self._edits[step_id]
        self._sent.pop(step_id, None)
        self.apply_server_flow(flow)

    def _on_change(self, change: Change) -> None:
        """Retry blocked writes once the workspace responds again or its disk has room."""
        if change.noun is ResourceType.WORKSPACE and self.write_queue.write_error is not None:
            self.write_queue.retry()

    def _on_write_failed(self, error: AppError) -> None:
        self.error = error
        if self.write_queue.write_error is None:
            self._edits = {
                key: change for key, change in self._edits.items() if self._sent.get(key) != change
            }
            self._sent.clear()
            self._rebuild()
        self.save_changed.emit()

    def _rebuild(self) -> None:
        steps = tuple(
            apply_change(step, self._edits[step.id]) if step.id in self._edits else step
            for step in self._server_flow.steps
        )
        flow = self._server_flow.model_copy(update={"steps": steps})
        if self._edits and flow.active:
            flow = flow.model_copy(update={"has_unpublished_edits": True})
        if flow != self.flow:
            self.flow, self.tree = flow, StepTree(flow.steps)
            self.changed.emit()
