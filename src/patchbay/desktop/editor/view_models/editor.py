"""View-model of the flow editor: the open flow, the selected step, and what the three panes share."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.execution_labels import humanize_key
from patchbay.desktop.core.language import tr
from patchbay.desktop.core.services import Services
from patchbay.desktop.editor.view_models.blockers import BlockerContext, find_blockers, merge_blockers
from patchbay.desktop.editor.view_models.draft import FlowDraft, UndoEntry, UndoHistory
from patchbay.desktop.editor.view_models.dynamic_options import ChoiceStore
from patchbay.desktop.editor.view_models.publish_notes import PublishNote, find_publish_notes
from patchbay.desktop.editor.view_models.publishing import PublishController
from patchbay.desktop.editor.view_models.step_events import event_of
from patchbay.desktop.editor.view_models.step_labels import step_title_in_tree
from patchbay.desktop.editor.view_models.step_tree import StepTree
from patchbay.desktop.editor.view_models.variables import ValueCatalog, ValueEntryCache, build_catalog
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.apps import ActionInfo, AppInfo, TriggerInfo
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import (
    AppKey,
    ConnectionId,
    ExecutionId,
    FlowId,
    FolderId,
    Json,
    JsonObject,
    StepId,
    get_optional,
)
from patchbay.domain.blockers import Blocker
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.clock import MINUTE_MS, now_ms
from patchbay.domain.connections import Connection
from patchbay.domain.errors import AppError
from patchbay.domain.executions import ExecutionStep
from patchbay.domain.flows import Flow, Step, StepChange
from patchbay.domain.folders import Folder
from patchbay.domain.row_output import declared_output
from patchbay.domain.variables import run_values

EXAMPLE_EXECUTION_ID = ExecutionId("01998f2c-6a40-7000-8000-000000000000")
"""Shown as a sample while the flow has no run."""


@dataclass(frozen=True)
class EditorData:
    """Data loaded when the editor opens."""

    flow: Flow
    samples: tuple[ExecutionStep, ...]
    connections: tuple[Connection, ...]
    folders: tuple[Folder, ...]


async def read_editor(backend: Backend, flow_id: FlowId) -> EditorData:
    """Load the flow and its context, as far as the workspace offers it."""
    reason_for = backend.capabilities.reason

    async def samples() -> tuple[ExecutionStep, ...]:
        return () if reason_for(Feature.STEP_RESULTS) else await backend.step_samples(flow_id)

    async def connections() -> tuple[Connection, ...]:
        return () if reason_for(Feature.CONNECTIONS) else await backend.list_connections()

    flow = await backend.get_flow(flow_id)
    return EditorData(flow, *await asyncio.gather(samples(), connections(), backend.list_folders()))


# View-model


class EditorViewModel(QObject):
    """The flow editor. Panes read `flow`, `step`, `catalog`, and `blockers`."""

    loading_changed = Signal()
    opened = Signal()
    flow_changed = Signal()
    selected = Signal()
    context_changed = Signal()
    save_changed = Signal()
    blockers_changed = Signal()
    focus_requested = Signal(object)
    removed = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self._load_request = LatestRequest(services.tasks, self)
        self.draft: FlowDraft | None = None
        self.step_id: StepId | None = None
        self.flow_id: FlowId | None = None
        self.error: AppError | None = None
        self.history = UndoHistory(self)
        self.samples: dict[StepId, ExecutionStep] = {}
        self._tested: set[StepId] = set()
        """The steps that were shown with a test; a later change clears the step's own note of it."""
        self.apps: dict[AppKey, AppInfo] = {}
        self.connections: dict[ConnectionId, Connection] = {}
        self.folders: dict[FolderId, Folder] = {}
        self.blockers: tuple[Blocker, ...] = ()
        self._reported: dict[StepId, tuple[JsonObject, dict[str, str]]] = {}
        """Errors that the workspace found in the values of steps, with the parameters it checked."""
        self.choices = ChoiceStore(self, self)
        self.choices.changed.connect(self.update_blockers)
        self._entries = ValueEntryCache()
        self._publication = PublishController(self)
        self._initial_step_id: StepId | None = None
        self._focus_blocker_on_open = False
        services.feed.changed.connect(self._on_change)
        services.apps.changed.connect(self._on_apps_changed)

    # What is shown

    @property
    def flow(self) -> Flow | None:
        """The flow as edited; None before it is loaded."""
        return self.draft.flow if self.draft else None

    @property
    def step(self) -> Step | None:
        """The selected step; None without one."""
        return self.flow.step(self.step_id) if self.flow else None

    @property
    def tree(self) -> StepTree:
        """The steps as a tree."""
        return self.draft.tree if self.draft else StepTree(())

    @property
    def app(self) -> AppInfo | None:
        """The selected step's app with its events, once loaded."""
        return self.app_of(self.step)

    @property
    def app_event(self) -> TriggerInfo | ActionInfo | None:
        """The trigger or action of the selected step; None until it is chosen or its app is loaded."""
        return event_of(self.step, self.app) if self.step else None

    @property
    def unavailable_reason(self) -> str | None:
        """Why the flow can't be edited; None if it can."""
        return self.services.backend.capabilities.reason(Feature.EDIT_FLOWS)

    def app_of(self, step: Step | None) -> AppInfo | None:
        """The app of a step; None until it is loaded."""
        return get_optional(self.apps, step.app_key) if step else None

    def title(self, step: Step) -> str:
        """The title of a step: its own name, or that of its event."""
        event = event_of(step, self.app_of(step))
        return step_title_in_tree(self.tree, step, event.name if event else humanize_key(step.key))

    @property
    def folder_name(self) -> str:
        """The name of the flow's folder."""
        folder = get_optional(self.folders, self.flow.folder_id) if self.flow else None
        return folder.name if folder else tr("Uncategorised")

    def catalog(self) -> ValueCatalog:
        """The variables available to the selected step."""
        if self.flow is None:
            return ValueCatalog()
        samples = self.samples.values()
        run_sample = self._run_sample(self.flow.id)
        return build_catalog(
            self.tree,
            self.step_id,
            samples,
            self.titles(),
            self._entries,
            run_sample,
            self._declared_outputs(),
        )

    def _declared_outputs(self) -> dict[StepId, Json]:
        """The outputs that are known from the parameters of steps, such as the fields of a form."""
        found: dict[StepId, Json] = {}
        for step in self.tree.steps:
            output = declared_output(event_of(step, get_optional(self.apps, step.app_key)), step.parameters)
            if output is not None:
                found[step.id] = output
        return found

    def _run_sample(self, flow_id: FlowId) -> JsonObject:
        """Return the values of the newest run, with the current minute as its time."""
        newest = max(self.samples.values(), key=lambda item: item.created_at, default=None)
        minute = datetime.fromtimestamp(now_ms() // MINUTE_MS * MINUTE_MS / 1000).astimezone()
        execution_id = newest.execution_id if newest else EXAMPLE_EXECUTION_ID
        return run_values(execution_id, flow_id, minute.isoformat(timespec="seconds"))

    def titles(self) -> dict[StepId, str]:
        """Return the title of each step."""
        return {step.id: self.title(step) for step in self.tree.steps}

    # Opening and leaving

    def open(
        self, flow_id: FlowId, step_id: StepId | None = None, blockers: tuple[Blocker, ...] = ()
    ) -> None:
        """Open a flow; with `blockers` of a failed publication, focus the first."""
        self._release_draft()
        self.flow_id, self._initial_step_id = flow_id, step_id
        self._publication.rejected_blockers = blockers
        self._focus_blocker_on_open = bool(blockers)
        self.draft = None
        self.error = None
        self.step_id = None
        self.history.clear()
        self.loading_changed.emit()
        self._load_request.run(
            read_editor(self.services.backend, flow_id), done=self._on_loaded, failed=self._on_load_failed
        )

    def leave(self) -> None:
        """Send unsaved edits. The flow stays open."""
        if self.draft is not None:
            self.draft.flush()

    def _release_draft(self) -> None:
        """Destroy the closed draft once everything is sent."""
        if (old := self.draft) is not None:
            self.leave()
            old.changed.disconnect(self._on_draft_changed)
            old.save_changed.disconnect(self.save_changed)
            old.write_queue.run_when_idle(old.deleteLater)

    def retry_open(self) -> None:
        """Open the flow again after an error."""
        if self.flow_id:
            self.open(self.flow_id, self._initial_step_id)

    def _on_loaded(self, found: EditorData) -> None:
        self.samples = {item.step.id: item for item in found.samples}
        self.connections = {item.id: item for item in found.connections}
        self.folders = {item.id: item for item in found.folders}
        self.draft = FlowDraft(self.services, found.flow, self)
        self.draft.changed.connect(self._on_draft_changed)
        self.draft.save_changed.connect(self.save_changed)
        self.draft.write_queue.write_dropped.connect(self._on_write_dropped)
        first = found.flow.steps[0].id if found.flow.steps else None
        wanted = found.flow.step(self._initial_step_id)
        self.step_id = wanted.id if wanted else first
        self._read_apps()
        self.update_blockers()
        self.loading_changed.emit()
        self.opened.emit()
        self.selected.emit()
        if self._focus_blocker_on_open:
            self.focus_first_blocker()

    def _on_load_failed(self, error: AppError) -> None:
        self.error = error
        self.loading_changed.emit()

    # Selecting

    def select(self, step_id: StepId | None) -> None:
        """Select a step; what was typed in the previous one is written."""
        if step_id != self.step_id:
            if self.draft:
                self.draft.flush()
            self.history.seal()
            self.step_id = step_id
            self.selected.emit()

    def focus(self, blocker: Blocker) -> None:
        """Go to the place where a blocker can be fixed."""
        if blocker.step_id:
            self.select(blocker.step_id)
        self.focus_requested.emit(blocker)

    def blocker_title(self, blocker: Blocker) -> str:
        """Return the step of a blocker: "Step 4, Create task"."""
        step = self.tree.step(blocker.step_id)
        return self.step_label(step) if step else tr("This flow")

    def step_label(self, step: Step) -> str:
        """Return the number and title of a step: "Step 4, Create task"."""
        return tr("Step {number}, {title}", number=step.position, title=self.title(step))

    @property
    def publish_notes(self) -> tuple[PublishNote, ...]:
        """What to know before the flow is published."""
        return find_publish_notes(self.flow, self.apps) if self.flow is not None else ()

    def focus_first_blocker(self) -> None:
        """Go to the first blocker and show it in a notice."""
        if self.blockers:
            first = self.blockers[0]
            title, reason = self.blocker_title(first), first.reason.rstrip(".")
            self.services.notices.post(tr("Not published. {step}: {reason}.", step=title, reason=reason))
            self.focus(first)

    # Editing a step

    def edit(
        self,
        change: StepChange,
        *,
        label: str,
        merge: object = None,
        immediate: bool = False,
        step_id: StepId | None = None,
    ) -> None:
        """Change fields of a step (the selected one), undoably."""
        step = self.flow.step(step_id or self.step_id) if self.flow else None
        if step is None or self.draft is None or self.unavailable_reason:
            return
        before = StepChange(**{name: getattr(step, name) for name in change.model_fields_set})
        if before == change:
            return
        self._publication.clear_step(step.id)
        self.history.add(
            UndoEntry(
                label,
                partial(self._apply_change, step.id, before),
                partial(self._apply_change, step.id, change),
                merge,
            )
        )
        self.draft.edit(step.id, change, immediate=immediate)

    def _apply_change(self, step_id: StepId, change: StepChange) -> None:
        if self.draft is None or self.draft.flow.step(step_id) is None:
            return
        self.draft.edit(step_id, change, immediate=True)
        if step_id != self.step_id:
            self.select(step_id)
        else:
            self.selected.emit()

    # Publishing

    @property
    def publishing(self) -> bool:
        """Whether the flow is being published."""
        return self._publication.running

    def publish(self) -> None:
        """Save and publish; on failure go to the first blocker."""
        self._publication.publish()

    def unpublish(self) -> None:
        """Turn the published flow back into a draft."""
        if self.draft and self.flow:
            self.draft.write(partial(self.services.backend.unpublish_flow, self.flow.id))

    # Changes from outside

    def _on_draft_changed(self) -> None:
        if self.flow and self.flow.step(self.step_id) is None:
            self.step_id = self.flow.steps[-1].id if self.flow.steps else None
            self.selected.emit()
        self._read_apps()
        self.update_blockers()
        self.flow_changed.emit()

    def _on_write_dropped(self, error: AppError) -> None:
        self.services.notices.failed(error)
        self._reload()

    def _read_apps(self) -> None:
        for key in self.flow.app_keys if self.flow else ():
            if key not in self.apps:
                self._read_app(key)

    def _read_app(self, key: AppKey) -> None:
        self.services.apps.detail(key, self._on_app_loaded, lambda _: None, owner=self)

    def _on_app_loaded(self, app: AppInfo) -> None:
        if self.apps.get(app.key) != app:
            self.apps[app.key] = app
            self.update_blockers()
            self.context_changed.emit()

    def _on_apps_changed(self) -> None:
        """Reload the apps; known ones stay until then, as steps need them for their fields."""
        for key in {*self.apps, *(self.flow.app_keys if self.flow else ())}:
            self._read_app(key)

    def report(self, errors: Mapping[str, str]) -> None:
        """Note what the workspace found wrong in the values of the selected step, while it has these."""
        if self.step is not None:
            self._reported[self.step.id] = (dict(self.step.parameters), dict(errors))
            self.update_blockers()

    def update_blockers(self) -> None:
        """Recompute the blockers."""
        if self.flow is not None:
            extra_fields = {step.id: self.choices.extra_fields(step) for step in self.flow.steps}
            reported = {
                step.id: errors
                for step in self.flow.steps
                for checked, errors in [self._reported.get(step.id, ({}, {}))]
                if checked == step.parameters
            }
            self._tested.update(step.id for step in self.flow.steps if step.tested is not None)
            tested = self._tested | self.samples.keys()
            context = BlockerContext(self.apps, self.connections, extra_fields, reported, tested)
            live = find_blockers(self.flow, context)
            self._publication.remove_covered_by(live)
            self.blockers = merge_blockers(live, self._publication.rejected_blockers)
            self.blockers_changed.emit()

    def _on_change(self, change: Change) -> None:
        if self.draft is None:
            return
        if change.noun is ResourceType.CONNECTION:
            work = self.services.backend.list_connections()
            self.services.tasks.run(self, work, done=self._on_connections_loaded, failed=lambda _: None)
        elif change.noun is ResourceType.FLOW and self.draft.id in change.ids:
            if change.action == "deleted":
                self.removed.emit()
            elif self.draft.saved:
                self._reload()

    def _on_connections_loaded(self, found: tuple[Connection, ...]) -> None:
        self.connections = {item.id: item for item in found}
        self.update_blockers()
        self.context_changed.emit()

    def _reload(self) -> None:
        if self.draft is not None:
            draft = self.draft
            self.services.tasks.run(
                draft,
                self.services.backend.get_flow(draft.id),
                done=lambda flow: draft.apply_server_flow(flow) if draft.saved else None,
                failed=lambda _: None,
            )
