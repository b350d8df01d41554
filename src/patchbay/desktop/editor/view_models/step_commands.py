"""Commands over the steps and the flow in the editor, all with undo."""

from collections.abc import Callable
from enum import StrEnum
from functools import partial

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.editor.view_models.branches import CONDITIONS, MODE
from patchbay.desktop.editor.view_models.draft import FlowDraft, UndoEntry
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.step_tree import StepPosition, copy_step, new_step_id
from patchbay.domain.base import AppKey, ConnectionId, ExecutionId, JsonObject, StepId
from patchbay.domain.fields import defaults
from patchbay.domain.flows import Flow, Step, StepChange, StepType, StructuralType
from patchbay.domain.step_policy import StepPolicy

_ADDED = {
    StructuralType.SINGLE: tr("add step", "a change"),
    StructuralType.PATHS: tr("add paths", "a change"),
    StructuralType.BRANCH: tr("add path", "a change"),
    StructuralType.EACH: tr("add loop", "a change"),
}


class MoveDirection(StrEnum):
    """Directions of a move by keyboard."""

    UP = "up"
    DOWN = "down"
    OUT = "out"
    IN = "in"


class StepCommands(QObject):
    """Add, delete, move, duplicate and set up steps; rename the flow; start it."""

    step_added = Signal(str)

    def __init__(self, editor: EditorViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._backend = editor.services.backend

    # Order

    def add(
        self,
        after: StepId | None = None,
        *,
        inside: StepId | None = None,
        kind: StructuralType = StructuralType.SINGLE,
    ) -> None:
        """Add an empty step after another one, first inside one, or at the end of the flow; select it."""
        draft = self._editor.draft
        if draft is None or self._editor.unavailable_reason:
            return
        before = draft.flow

        def added(flow: Flow) -> None:
            if new_id := new_step_id(before, flow):
                self._finish_adding(new_id, _ADDED[kind])

        write = partial(self._backend.add_step, before.id, after, inside=inside, kind=kind)
        draft.write(write, added)

    def duplicate(self, step_id: StepId) -> None:
        """Duplicate a step with its children, right after the original."""
        draft, step = self._editor.draft, self._step(step_id)
        if draft is None or step is None or step.type is StepType.TRIGGER or self._editor.unavailable_reason:
            return
        draft.flush()
        before = draft.flow

        def copied(flow: Flow) -> None:
            if new_id := new_step_id(before, flow):
                self._finish_adding(new_id, tr("duplicate step", "a change"))

        draft.write(partial(copy_step, self._backend, before, step_id), copied)

    def _finish_adding(self, new_id: StepId, label: str) -> None:
        self._add_undo(label, partial(self._delete, new_id), partial(self._restore, new_id))
        self._editor.select(new_id)
        self.step_added.emit(new_id)

    def delete(self, step_id: StepId) -> None:
        """Delete a step with its children immediately, with undo in the notice and the editor."""
        step = self._step(step_id)
        if step is None or step.type is StepType.TRIGGER or self._editor.unavailable_reason:
            return
        title, child_count = self._editor.title(step), self._editor.tree.size(step_id) - 1
        entry = UndoEntry(
            tr("delete step", "a change"), partial(self._restore, step_id), partial(self._delete, step_id)
        )
        self._editor.history.add(entry)
        text = tr("“{title}” deleted", title=title)
        if child_count:
            text = tr_count(
                child_count,
                "“{title}” deleted with the {n} step in it",
                "“{title}” deleted with the {n} steps in it",
                title=title,
            )
        undo = partial(self._undo_delete, self._editor.draft, step_id, entry)
        post = self._editor.services.notices.post
        self._delete(step_id, lambda _: post(text, undo=undo))

    def _undo_delete(self, draft: FlowDraft | None, step_id: StepId, entry: UndoEntry) -> None:
        """Undo from the notice, which may come when another flow is open."""
        if self._editor.draft is draft:
            self._editor.history.undo_entry(entry)
            return
        services = self._editor.services
        services.tasks.run(self, self._backend.restore_step(step_id), failed=services.notices.failed)

    def _delete(self, step_id: StepId, done: Callable[[Flow], object] | None = None) -> None:
        draft = self._editor.draft
        if draft is None:
            return
        if self._step(step_id) is not None:
            subtree = [step.id for step in draft.tree.subtree(step_id)]
            rest = [step.id for step in draft.tree.steps if step.id not in subtree]
            if self._editor.step_id in subtree and rest:
                at = draft.tree.position_of(step_id).position - 1
                self._editor.select(rest[min(at, len(rest) - 1)])
        draft.write(partial(self._backend.delete_step, step_id), done)

    def _restore(self, step_id: StepId) -> None:
        if self._editor.draft is not None:
            write = partial(self._backend.restore_step, step_id)
            self._editor.draft.write(write, lambda _: self._editor.select(step_id))

    def shift(self, step_id: StepId, direction: MoveDirection) -> None:
        """Move a step past its neighbour, out of its branch or loop, or into the step above."""
        step, tree = self._step(step_id), self._editor.tree
        if step is None or step.type is StepType.TRIGGER:
            return
        targets = {
            MoveDirection.UP: tree.up,
            MoveDirection.DOWN: tree.down,
            MoveDirection.OUT: tree.outward,
            MoveDirection.IN: tree.inward,
        }
        if spot := targets[direction](step_id):
            self.move(step_id, spot.position, spot.inside)

    def move(self, step_id: StepId, position: int, inside: StepId | None = None) -> None:
        """Move a step with its children to a `StepPosition`; the trigger's place can't be taken."""
        step, tree = self._step(step_id), self._editor.tree
        if step is None or self._editor.unavailable_reason or not tree.can_contain(inside, step_id):
            return
        target = StepPosition(max(2, min(position, len(tree.steps))), inside)
        back = tree.position_of(step_id)
        if target != back:
            self._add_undo(
                tr("move step", "a change"),
                partial(self._move, step_id, back),
                partial(self._move, step_id, target),
            )
            self._move(step_id, target)

    def _move(self, step_id: StepId, to: StepPosition) -> None:
        if self._editor.draft is not None:
            write = partial(self._backend.move_step, step_id, to.position, inside=to.inside)
            self._editor.draft.write(write)

    # Set-up of the selected step

    def choose_event(self, app_key: AppKey, key: str) -> None:
        """Choose another app or event; values of the old one are cleared, with undo."""
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
        self._editor.edit(change, label=tr("choose event", "a change"), immediate=True)

    def _only_connection(self, app_key: AppKey) -> ConnectionId | None:
        """Return the connection to preselect: the only one, or the one used elsewhere in the flow."""
        flow = self._editor.flow
        for step in flow.steps if flow else ():
            if step.app_key == app_key and step.connection_id:
                return step.connection_id
        mine = [item.id for item in self._editor.connections.values() if item.app_key == app_key]
        return mine[0] if len(mine) == 1 else None

    def choose_connection(self, connection_id: ConnectionId | None) -> None:
        """Set the connection of the selected step."""
        change = StepChange(connection_id=connection_id)
        if connection_id is None:
            change = StepChange(connection_id=None, connection_undecided=False)
        self._editor.edit(change, label=tr("choose connection", "a change"), immediate=True)

    def rename_step(self, step_id: StepId, name: str) -> None:
        """Rename a step; an empty name restores that of its event."""
        change = StepChange(name=name.strip() or None)
        self._editor.edit(change, label=tr("rename step", "a change"), immediate=True, step_id=step_id)

    def set_continue_on_error(self, on: bool) -> None:
        """Set whether the flow continues if the selected step fails."""
        self._editor.edit(
            StepChange(continue_on_error=on), label=tr("change error handling", "a change"), immediate=True
        )

    def set_policy(self, policy: StepPolicy) -> None:
        """Set the retry policy of the selected step."""
        self._editor.edit(StepChange(policy=policy), label=tr("change retries", "a change"), immediate=True)

    def set_mode(self, mode: str) -> None:
        """Set whether the first matching branch or all of them run."""
        if step := self._editor.step:
            change = StepChange(parameters={**step.parameters, MODE: mode})
            self._editor.edit(change, label=tr("change which branches run", "a change"), immediate=True)

    def set_conditions(self, conditions: tuple[JsonObject, ...], *, immediate: bool = False) -> None:
        """Set the conditions of the selected branch; consecutive typing is undone together."""
        merge = None if immediate else (self._editor.step_id, CONDITIONS)
        change = StepChange(branch_conditions=conditions)
        self._editor.edit(change, label=tr("edit conditions", "a change"), merge=merge, immediate=immediate)

    # The flow

    def rename_flow(self, name: str) -> None:
        """Rename the flow."""
        draft, name = self._editor.draft, name.strip()
        if draft is None or self._editor.unavailable_reason or not name or name == draft.flow.name:
            return
        old = draft.flow.name
        self._add_undo(
            tr("rename flow", "a change"), partial(self._rename_flow, old), partial(self._rename_flow, name)
        )
        self._rename_flow(name)

    def _rename_flow(self, name: str) -> None:
        if draft := self._editor.draft:
            draft.set_displayed_name(name)
            draft.write(lambda: self._backend.update_flow(draft.id, name=name), key="name")

    def set_interval(self, minutes: int) -> None:
        """Set the minutes between two polls."""
        draft = self._editor.draft
        if draft is None or minutes == draft.flow.execution_interval:
            return
        old = draft.flow.execution_interval
        self._add_undo(
            tr("change interval", "a change"),
            partial(self._set_interval, old),
            partial(self._set_interval, minutes),
        )
        self._set_interval(minutes)

    def _set_interval(self, minutes: int) -> None:
        if draft := self._editor.draft:
            write = partial(self._backend.update_flow, draft.id, execution_interval=minutes)
            draft.write(write, key="interval")

    def set_paused(self, on: bool) -> None:
        """Pause or resume the published flow."""
        draft = self._editor.draft
        if draft is not None and draft.flow.active and not self._editor.unavailable_reason:
            self._add_undo(
                tr("pause", "a change") if on else tr("resume", "a change"),
                partial(self._pause, not on),
                partial(self._pause, on),
            )
            self._pause(on)

    def _pause(self, on: bool) -> None:
        if draft := self._editor.draft:
            act = self._backend.pause_flow if on else self._backend.resume_flow
            draft.write(partial(act, draft.id))

    def run_now(self) -> None:
        """Save and run the flow: the published version, or the draft as a test."""
        draft, services = self._editor.draft, self._editor.services
        if draft is None:
            return
        draft.flush()

        def start() -> None:
            services.tasks.run(
                self, self._backend.run_flow(draft.id), done=self._on_started, failed=services.notices.failed
            )

        draft.write_queue.run_when_idle(start, services.notices.failed)

    def _on_started(self, execution_id: ExecutionId) -> None:
        flow = self._editor.flow
        version = flow.published_version if flow and flow.active else None
        text = tr("Started the draft as a test run. See the result in Executions.")
        if version:
            text = tr("Started version {version}. See the result in Executions.", version=version)
        self._editor.services.notices.post(text)

    # Shared

    def _step(self, step_id: StepId) -> Step | None:
        return self._editor.flow.step(step_id) if self._editor.flow else None

    def _add_undo(self, label: str, undo: "partial[None]", redo: "partial[None]") -> None:
        self._editor.history.add(UndoEntry(label, undo, redo))
