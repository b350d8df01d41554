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

RETRYABLE = (Unreachable, TimedOut, ServerFault, StorageFault)

Write = Callable[[], Coroutine[Any, Any, Any]]
Failed = Callable[[AppError], object]


@dataclass(frozen=True)
class Queued:
    """A queued write. Of queued writes with the same `key` only the latest is sent."""

    write: Write
    done: Callable[[Any], object] | None = None
    key: object = None


class WriteLane(QObject):
    """A queue of writes, sent one at a time so that older responses can't overwrite newer edits.

    An edit (a write with a `key`) that fails because of the connection or a full disk stays queued and
    waits for `retry`. Any other failed write is dropped.
    """

    changed = Signal()
    refused = Signal(object)
    """A write failed, whether it stays queued or was dropped."""
    given_up = Signal(object)
    """A write failed and was dropped."""

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._waiting: list[Queued] = []
        self._current: Queued | None = None
        self._task: Task | None = None
        self._when_idle: list[tuple[Callable[[], object], Failed | None]] = []
        self.write_error: AppError | None = None

    @property
    def idle(self) -> bool:
        return self._current is None and not self._waiting

    def add(self, write: Write, *, done: Callable[[Any], object] | None = None, key: object = None) -> None:
        if key is not None:
            self._waiting = [item for item in self._waiting if item.key != key]
        self._waiting.append(Queued(write, done, key))
        if key is None:
            self.write_error = None  # the caller waits for this write: retry now, blocked writes included
        self._next()
        self.changed.emit()

    def when_idle(self, callback: Callable[[], object], failed: Failed | None = None) -> None:
        """Call `then` once everything is written, immediately if nothing is queued.

        With `failed`, blocked writes are retried now, and `failed` is called if that fails.
        """
        if self.idle:
            callback()
            return
        self._when_idle.append((callback, failed))
        if failed is not None and self.write_error is not None:
            self.retry()

    def retry(self) -> None:
        """Retry blocked writes."""
        self.write_error = None
        self._next()
        self.changed.emit()

    def clear(self) -> None:
        """Drop unsent writes."""
        self._waiting, self._when_idle, self.write_error = [], [], None

    def _next(self) -> None:
        if self._current is not None or self.write_error is not None or not self._waiting:
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
            self.write_error = error if self._waiting else None
        self.refused.emit(error)
        if gives_up:
            self.given_up.emit(error)
        if self.write_error is not None:
            self._tell_those_who_wait(error)

    def _keep_edits(self, failed: Queued) -> bool:
        """Keep only unsent edits; returns whether other writes were dropped."""
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


# Undo history

MAX_ENTRIES = 200


@dataclass(frozen=True, eq=False)
class Entry:
    """One undo step. Consecutive entries with the same `merge` key are undone together."""

    label: str
    undo: Callable[[], None]
    redo: Callable[[], None]
    merge: object = None


class History(QObject):
    """The undo history."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._done: list[Entry] = []
        self._undone: list[Entry] = []

    @property
    def undo_label(self) -> str | None:
        return self._done[-1].label if self._done else None

    @property
    def redo_label(self) -> str | None:
        return self._undone[-1].label if self._undone else None

    def add(self, entry: Entry) -> None:
        last = self._done[-1] if self._done else None
        if last is not None and entry.merge is not None and last.merge == entry.merge:
            self._done[-1] = Entry(last.label, last.undo, entry.redo, last.merge)
        else:
            self._done = [*self._done, entry][-MAX_ENTRIES:]
        self._undone = []
        self.changed.emit()

    def seal(self) -> None:
        """Start a new undo step, even in the same field."""
        if self._done and self._done[-1].merge is not None:
            last = self._done[-1]
            self._done[-1] = Entry(last.label, last.undo, last.redo)

    def undo(self) -> None:
        if self._done:
            self.undo_entry(self._done[-1])

    def undo_entry(self, entry: Entry) -> None:
        """Undo one entry regardless of later ones; ignored if already undone."""
        if entry in self._done:
            self._done.remove(entry)
            self._undone.append(entry)
            entry.undo()
            self.changed.emit()

    def redo(self) -> None:
        if self._undone:
            entry = self._undone.pop()
            self._done.append(entry)
            entry.redo()
            self.changed.emit()

    def clear(self) -> None:
        self._done, self._undone = [], []
        self.changed.emit()


# Draft

IDLE_MS = 800
"""Edits are saved after a typing pause of this length."""


def merged(old: StepChange | None, new: StepChange) -> StepChange:
    """Merge two edits; the newer wins field by field."""
    return StepChange(**({} if old is None else given(old)) | given(new))


def given(change: StepChange) -> dict[str, object]:
    """Return only the fields that were set."""
    return {name: getattr(change, name) for name in change.model_fields_set}


def applied(step: Step, change: StepChange) -> Step:
    """Return the step with an edit applied; its test stays valid if behaviour doesn't change."""
    values = given(change)
    if "parameters" in values:
        values["parameters"] = values["parameters"] or {}
    after = step.model_copy(update=values)
    if after.behaves_like(step):
        return after
    return after.model_copy(update={"status": StepStatus.INCOMPLETE, "tested": None})


class Draft(QObject):
    """The flow being edited. `changed` after any change of `flow`; `save_changed` for its saving state."""

    changed = Signal()
    save_changed = Signal()

    def __init__(self, services: Services, flow: Flow, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._backend, self._clock = services.backend, services.clock
        self._server = flow
        self._edits: dict[StepId, StepChange] = {}
        self._sent: dict[StepId, StepChange] = {}
        self.flow, self.tree = flow, StepTree(flow.steps)
        self.saved_at: EpochMs | None = None
        self.error: AppError | None = None
        self.lane = WriteLane(services.tasks, self)
        self.lane.refused.connect(self._refused)
        self.lane.changed.connect(self.save_changed)
        self._timer = QTimer(self, singleShot=True, interval=IDLE_MS)
        self._timer.timeout.connect(self.flush)
        services.feed.changed.connect(self._on_change)

    @property
    def id(self) -> FlowId:
        return self.flow.id

    @property
    def saved(self) -> bool:
        """Whether everything shown is saved."""
        return not self._edits and self.lane.idle

    def edit(self, step_id: StepId, change: StepChange, *, at_once: bool = False) -> None:
        """Apply an edit; it is sent after a typing pause, or immediately."""
        self._edits[step_id] = merged(self._edits.get(step_id), change)
        self._show()
        self._timer.start()
        if at_once:
            self.flush()
        self.save_changed.emit()

    def flush(self) -> None:
        """Send all pending edits."""
        self._timer.stop()
        for step_id, change in self._edits.items():
            if self._sent.get(step_id) != change:
                self._sent[step_id] = change
                self.lane.add(
                    partial(self._backend.update_step, step_id, change),
                    done=partial(self._saved, step_id, change),
                    key=("update", step_id),
                )

    def write(self, ask: Write, done: Callable[[Flow], object] | None = None, *, key: object = None) -> None:
        """Queue another write that returns the flow, after all pending edits.

        With a `key` it is treated as an edit (`WriteLane`).
        """
        self.flush()

        def answered(flow: Flow) -> None:
            self.adopt(flow)
            if done is not None:
                done(flow)

        self.lane.add(ask, done=answered, key=key)

    def show_name(self, name: str) -> None:
        self._server = self._server.model_copy(update={"name": name})
        self._show()

    def adopt(self, flow: Flow) -> None:
        """Apply the flow returned by the workspace; unsent edits stay on top."""
        if flow.id != self._server.id:
            return
        self._server = flow
        self.saved_at, self.error = self._clock(), None
        self._show()
        self.save_changed.emit()

    def _saved(self, step_id: StepId, change: StepChange, flow: Flow) -> None:
        if self._edits.get(step_id) == change:
            del self._edits[step_id]
        self._sent.pop(step_id, None)
        self.adopt(flow)

    def _on_change(self, change: Change) -> None:
        """Retry blocked writes once the workspace responds again or its disk has room."""
        if change.noun is ResourceType.WORKSPACE and self.lane.write_error is not None:
            self.lane.retry()

    def _refused(self, error: AppError) -> None:
        self.error = error
        if self.lane.write_error is None:
            self._edits = {
                key: change for key, change in self._edits.items() if self._sent.get(key) != change
            }
            self._sent.clear()
            self._show()
        self.save_changed.emit()

    def _show(self) -> None:
        steps = tuple(
            applied(step, self._edits[step.id]) if step.id in self._edits else step
            for step in self._server.steps
        )
        flow = self._server.model_copy(update={"steps": steps})
        if self._edits and flow.active:
            flow = flow.model_copy(update={"has_unpublished_edits": True})
        if flow != self.flow:
            self.flow, self.tree = flow, StepTree(flow.steps)
            self.changed.emit()
