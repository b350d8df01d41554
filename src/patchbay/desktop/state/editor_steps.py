"""Commands over the steps and the head of the flow in the editor, each of them undoable."""

from functools import partial

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.editor import EditorViewModel
from patchbay.desktop.state.editor_history import Entry
from patchbay.domain.base import AppKey, ConnectionId, StepId
from patchbay.domain.fields import defaults
from patchbay.domain.flows import Flow, Step, StepChange, StepType


def new_step_id(before: Flow, after: Flow) -> StepId | None:
    """The step that a write added."""
    known = {step.id for step in before.steps}
    return next((step.id for step in after.steps if step.id not in known), None)


class StepCommands(QObject):
    """Add, delete, move, duplicate and set up steps; rename the flow; start it."""

    step_added = Signal(str)

    def __init__(self, editor: EditorViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._backend = editor.services.backend

    # Order

    def add(self, after: StepId | None = None) -> None:
        """Add an empty action after a step (the last one) and select it."""
        self._add(after, None)

    def duplicate(self, step_id: StepId) -> None:
        step = self._step(step_id)
        if step is not None and step.type is StepType.ACTION:
            self._add(step_id, step)

    def _add(self, after: StepId | None, like: Step | None) -> None:
        draft = self._editor.draft
        if draft is None or self._editor.read_only:
            return
        after = after or (draft.flow.steps[-1].id if draft.flow.steps else None)
        before = draft.flow

        def added(flow: Flow) -> None:
            made = new_step_id(before, flow)
            if made is None:
                return
            if like is not None:
                draft.edit(made, _copy_of(like), at_once=True)
            label = "add step" if like is None else "duplicate step"
            self._remember(label, partial(self._delete, made), partial(self._restore, made))
            self._editor.select(made)
            self.step_added.emit(made)

        draft.write(partial(self._backend.add_step, before.id, after), added)

    def delete(self, step_id: StepId) -> None:
        """Delete an action at once; Undo in the notice and in the editor bring it back."""
        step = self._step(step_id)
        if step is None or step.type is StepType.TRIGGER or self._editor.read_only:
            return
        title = self._editor.title(step)
        self._remember("delete step", partial(self._restore, step_id), partial(self._delete, step_id))
        self._delete(step_id)
        self._editor.services.notices.post(f"“{title}” deleted", undo=self._editor.history.undo)

    def _delete(self, step_id: StepId) -> None:
        draft = self._editor.draft
        if draft is None:
            return
        steps = draft.flow.steps
        at = next((index for index, step in enumerate(steps) if step.id == step_id), None)
        if at is not None and self._editor.step_id == step_id and len(steps) > 1:
            self._editor.select(steps[at + 1].id if at + 1 < len(steps) else steps[at - 1].id)
        draft.write(partial(self._backend.delete_step, step_id))

    def _restore(self, step_id: StepId) -> None:
        if self._editor.draft is not None:
            write = partial(self._backend.restore_step, step_id)
            self._editor.draft.write(write, lambda _: self._editor.select(step_id))

    def move(self, step_id: StepId, position: int) -> None:
        """Move an action to another place; the trigger's place cannot be taken."""
        step, flow = self._step(step_id), self._editor.flow
        if step is None or flow is None or step.type is StepType.TRIGGER or self._editor.read_only:
            return
        position = max(2, min(position, len(flow.steps)))
        if position == step.position:
            return
        back, there = partial(self._move, step_id, step.position), partial(self._move, step_id, position)
        self._remember("move step", back, there)
        there()

    def _move(self, step_id: StepId, position: int) -> None:
        if self._editor.draft is not None:
            self._editor.draft.write(partial(self._backend.move_step, step_id, position))

    # Set-up of the selected step

    def choose_event(self, app_key: AppKey, key: str) -> None:
        """Another app or event: what was entered for the old one goes, and undo brings it back."""
        step, app = self._editor.step, self._editor.apps.get(app_key)
        if step is None or (step.app_key, step.key) == (app_key, key):
            return
        event = (app.trigger(key) if step.type is StepType.TRIGGER else app.action(key)) if app else None
        same_app = step.app_key == app_key
        change = StepChange(
            app_key=app_key,
            key=key,
            connection_id=step.connection_id if same_app else self._only_connection(app_key),
            parameters=defaults(event.arguments) if event else {},
        )
        self._editor.edit(change, label="choose event", at_once=True)

    def _only_connection(self, app_key: AppKey) -> ConnectionId | None:
        """The connection to take by itself: the only one there is, or the one used elsewhere in the flow."""
        flow = self._editor.flow
        for step in flow.steps if flow else ():
            if step.app_key == app_key and step.connection_id:
                return step.connection_id
        mine = [item.id for item in self._editor.connections.values() if item.app_key == app_key]
        return mine[0] if len(mine) == 1 else None

    def choose_connection(self, connection_id: ConnectionId | None) -> None:
        change = StepChange(connection_id=connection_id)
        self._editor.edit(change, label="choose connection", at_once=True)

    def rename_step(self, step_id: StepId, name: str) -> None:
        change = StepChange(name=name.strip() or None)
        self._editor.edit(change, label="rename step", at_once=True, step_id=step_id)

    def set_continue_on_error(self, on: bool) -> None:
        self._editor.edit(StepChange(continue_on_error=on), label="change what an error does", at_once=True)

    # The flow

    def rename_flow(self, name: str) -> None:
        draft, name = self._editor.draft, name.strip()
        if draft is None or self._editor.read_only or not name or name == draft.flow.name:
            return
        old = draft.flow.name
        self._remember("rename flow", partial(self._rename_flow, old), partial(self._rename_flow, name))
        self._rename_flow(name)

    def _rename_flow(self, name: str) -> None:
        if draft := self._editor.draft:
            draft.show_name(name)
            draft.write(lambda: self._backend.update_flow(draft.id, name=name))

    def set_interval(self, minutes: int) -> None:
        draft = self._editor.draft
        if draft is None or minutes == draft.flow.execution_interval:
            return
        old = draft.flow.execution_interval
        self._remember(
            "change interval", partial(self._set_interval, old), partial(self._set_interval, minutes)
        )
        self._set_interval(minutes)

    def _set_interval(self, minutes: int) -> None:
        if draft := self._editor.draft:
            draft.write(lambda: self._backend.update_flow(draft.id, execution_interval=minutes))

    def run_now(self) -> None:
        """Save, then start the flow: the published version, or the draft as a test run."""
        draft, services = self._editor.draft, self._editor.services
        if draft is None:
            return
        draft.flush()

        def start() -> None:
            services.tasks.run(
                self, self._backend.run_flow(draft.id), done=self._started, failed=services.notices.failed
            )

        draft.lane.when_idle(start)

    def _started(self, execution_id: str) -> None:
        flow = self._editor.flow
        version = flow.published_version if flow and flow.active else None
        what = f"Version {version} was started" if version else "The draft was started as a test run"
        self._editor.services.notices.post(f"{what}. Its result appears in Executions.")

    # Shared

    def _step(self, step_id: StepId) -> Step | None:
        return self._editor.flow.step(step_id) if self._editor.flow else None

    def _remember(self, label: str, undo: "partial[None]", redo: "partial[None]") -> None:
        self._editor.history.add(Entry(label, undo, redo))


def _copy_of(step: Step) -> StepChange:
    return StepChange(
        app_key=step.app_key,
        key=step.key,
        name=step.name,
        connection_id=step.connection_id,
        parameters=step.parameters,
        continue_on_error=step.continue_on_error,
    )
