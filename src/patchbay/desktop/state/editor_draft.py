"""The draft being edited: what the workspace answered last, with what was typed since on top."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.state.editor_lane import Write, WriteLane
from patchbay.desktop.state.editor_tree import StepTree
from patchbay.desktop.state.services import Services
from patchbay.domain.base import EpochMs, FlowId, StepId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import AppError
from patchbay.domain.flows import Flow, Step, StepChange, StepStatus

IDLE_MS = 800
"""Typing that pauses this long is saved."""


def merged(old: StepChange | None, new: StepChange) -> StepChange:
    """Both edits as one; the newer wins field by field."""
    return StepChange(**({} if old is None else given(old)) | given(new))


def given(change: StepChange) -> dict[str, object]:
    """Only the fields that were set."""
    return {name: getattr(change, name) for name in change.model_fields_set}


def applied(step: Step, change: StepChange) -> Step:
    """The step as it will be once the edit is saved; its test holds while it behaves as before."""
    values = given(change)
    if "parameters" in values:
        values["parameters"] = values["parameters"] or {}
    after = step.model_copy(update=values)
    if after.behaves_like(step):
        return after
    return after.model_copy(update={"status": StepStatus.INCOMPLETE, "tested": None})


class Draft(QObject):
    """One flow under edit. `changed` after any change of what `flow` shows; `save_changed` of its saving."""

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
        """Whether the workspace knows everything that is shown."""
        return not self._edits and self.lane.idle

    def edit(self, step_id: StepId, change: StepChange, *, at_once: bool = False) -> None:
        """Show an edit; it is sent after a pause in typing, or at once."""
        self._edits[step_id] = merged(self._edits.get(step_id), change)
        self._show()
        self._timer.start()
        if at_once:
            self.flush()
        self.save_changed.emit()

    def flush(self) -> None:
        """Send every edit that has not been sent."""
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
        """Queue another write that answers with the flow; edits made before it are sent before it.

        With a `key` it is kept as an edit is when it can't be sent (`WriteLane`).
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
        """Take over the workspace's answer; what was typed since stays on top."""
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
        """What could not be saved is saved once the workspace answers again, or its disk has room."""
        if change.noun is ResourceType.WORKSPACE and self.lane.stuck is not None:
            self.lane.retry()

    def _refused(self, error: AppError) -> None:
        self.error = error
        if self.lane.stuck is None:
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
