"""Commands over flows: publish, pause, move, duplicate, rename, delete with undo, create, and run."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.new_flows import create_new_flow
from patchbay.desktop.core.services import Services
from patchbay.desktop.editor.view_models.flow_naming import publish_and_name
from patchbay.desktop.flows.view_models.flow_list import FlowsViewModel
from patchbay.domain.backend import Feature
from patchbay.domain.base import FlowId, FolderId
from patchbay.domain.blockers import Blocker
from patchbay.domain.errors import AppError, FlowNotReady
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.flows import Flow, FlowStatus
from patchbay.domain.paging import PageRequest


class BatchChange(NamedTuple):
    """The texts of a change: of one flow by its name, and of several by their number."""

    of_one: Callable[[str], str]
    of_several: Callable[[int], str]


PUBLISHED = BatchChange(
    lambda name: tr("“{name}” published", name=name),
    lambda number: tr_count(number, "{n} flow published", "{n} flows published"),
)
UNPUBLISHED = BatchChange(
    lambda name: tr("“{name}” unpublished", name=name),
    lambda number: tr_count(number, "{n} flow unpublished", "{n} flows unpublished"),
)
PAUSED = BatchChange(
    lambda name: tr("“{name}” paused", name=name),
    lambda number: tr_count(number, "{n} flow paused", "{n} flows paused"),
)
RESUMED = BatchChange(
    lambda name: tr("“{name}” resumed", name=name),
    lambda number: tr_count(number, "{n} flow resumed", "{n} flows resumed"),
)
DUPLICATED = BatchChange(
    lambda name: tr("“{name}” duplicated", name=name),
    lambda number: tr_count(number, "{n} flow duplicated", "{n} flows duplicated"),
)
DELETED = BatchChange(
    lambda name: tr("“{name}” deleted", name=name),
    lambda number: tr_count(number, "{n} flow deleted", "{n} flows deleted"),
)


def moved_to(folder: str) -> BatchChange:
    """The texts of flows that were moved to a folder."""
    return BatchChange(
        lambda name: tr("“{name}” moved to {folder}", name=name, folder=folder),
        lambda number: tr_count(
            number, "{n} flow moved to {folder}", "{n} flows moved to {folder}", folder=folder
        ),
    )


@dataclass(frozen=True)
class PublishBlocked:
    """A flow that couldn't be published, with its blockers."""

    flow_id: FlowId
    blockers: tuple[Blocker, ...]


@dataclass(frozen=True)
class BatchResult:
    """The result of one command for several flows, in the order given."""

    done: tuple[tuple[FlowId, Any], ...]
    failed: tuple[tuple[FlowId, AppError], ...]


def _is_fully_published(flow: Flow) -> bool:
    """Whether publishing again would change nothing: published, not paused, and without edits."""
    return flow.active and flow.paused_at is None and not flow.has_unpublished_edits


async def run_each(flow_ids: tuple[FlowId, ...], command: Callable[[FlowId], Awaitable[Any]]) -> BatchResult:
    """Run `command` for each flow in turn; a failure doesn't stop the rest."""
    done: list[tuple[FlowId, Any]] = []
    failed: list[tuple[FlowId, AppError]] = []
    for flow_id in flow_ids:
        try:
            done.append((flow_id, await command(flow_id)))
        except AppError as error:
            failed.append((flow_id, error))
    return BatchResult(tuple(done), tuple(failed))


class FlowCommands(QObject):
    """Commands over the flows of the list. Errors are shown as notices; undo is offered where possible."""

    publish_blocked = Signal(object)
    opened = Signal(str)
    executions_counted = Signal(int)

    def __init__(self, services: Services, flows: FlowsViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._backend = services.backend
        self._tasks = services.tasks
        self._notices = services.notices
        self._flows = flows

    # Publish

    def set_published(self, flow_ids: tuple[FlowId, ...], on: bool) -> None:
        """Publish or unpublish flows; those already in that state are left alone.

        A flow that changed since the list was loaded isn't published.
        """
        flows = {key: flow for key in flow_ids if (flow := self._flows.flow(key)) and flow.active is not on}
        if not flows:
            return
        flow_ids_to_change = tuple(flows)

        def publish(flow_id: FlowId) -> Awaitable[Flow]:
            return publish_and_name(self._backend, flows[flow_id])

        command = publish if on else self._backend.unpublish_flow
        self._flows.set_busy(flow_ids_to_change, True)
        task = self._tasks.run(
            self, run_each(flow_ids_to_change, command), done=partial(self._on_published, on)
        )
        task.ended.connect(lambda: self._flows.set_busy(flow_ids_to_change, False))

    def _on_published(self, on: bool, batch: BatchResult) -> None:
        self._show_results(batch)
        single = len(batch.done) + len(batch.failed) == 1
        if single and batch.failed and isinstance(error := batch.failed[0][1], FlowNotReady):
            self.publish_blocked.emit(PublishBlocked(batch.failed[0][0], error.blockers))
            return
        self._notify(batch, PUBLISHED if on else UNPUBLISHED, undo=None)

    # Pause

    def set_paused(self, flow_ids: tuple[FlowId, ...], on: bool) -> None:
        """Pause published flows or resume paused ones, with undo; drafts are left alone."""
        flow_ids_to_change = FlowStatus.PUBLISHED if on else FlowStatus.PAUSED
        chosen = tuple(
            key for key in flow_ids if (flow := self._flows.flow(key)) and flow.status is flow_ids_to_change
        )
        if not chosen:
            return
        command = self._backend.pause_flow if on else self._backend.resume_flow

        def done(batch: BatchResult) -> None:
            self._show_results(batch)
            changed = tuple(key for key, _ in batch.done)
            undo = partial(self.set_paused, changed, not on)
            self._notify(batch, PAUSED if on else RESUMED, undo)

        self._tasks.run(self, run_each(chosen, command), done=done)

    # Move, duplicate, rename

    def move(self, flow_ids: tuple[FlowId, ...], folder_id: FolderId | None) -> None:
        """Move flows to a folder, with undo."""
        before = {
            key: flow.folder_id
            for key in flow_ids
            if (flow := self._flows.flow(key)) and flow.folder_id != folder_id
        }
        if not before:
            return
        for key in before:
            self._show_moved(key, folder_id)
        work = run_each(tuple(before), lambda key: self._backend.move_flow(key, folder_id))
        self._tasks.run(self, work, done=partial(self._on_moved, before, folder_id))

    def _on_moved(
        self, before: dict[FlowId, FolderId | None], folder_id: FolderId | None, batch: BatchResult
    ) -> None:
        self._show_results(batch)
        for key, _ in batch.failed:
            self._show_moved(key, before[key])
        folder = self._flows.folder(folder_id)
        name = folder.name if folder else tr("Uncategorised")
        self._notify(batch, moved_to(name), lambda: self._undo_move(before))

    def _undo_move(self, before: dict[FlowId, FolderId | None]) -> None:
        for key, folder_id in before.items():
            self._show_moved(key, folder_id)
        work = run_each(tuple(before), lambda key: self._backend.move_flow(key, before[key]))
        self._tasks.run(self, work, done=self._show_results)

    def _show_moved(self, flow_id: FlowId, folder_id: FolderId | None) -> None:
        if flow := self._flows.flow(flow_id):
            self._flows.put(flow.model_copy(update={"folder_id": folder_id}))

    def duplicate(self, flow_ids: tuple[FlowId, ...]) -> None:
        """Duplicate flows and select the copies."""

        def done(batch: BatchResult) -> None:
            self._show_results(batch)
            copies = tuple(flow.id for _, flow in batch.done)
            self._notify(batch, DUPLICATED, lambda: self._discard(copies))

        self._tasks.run(self, run_each(flow_ids, self._backend.duplicate_flow), done=done)

    def _discard(self, flow_ids: tuple[FlowId, ...]) -> None:
        self._flows.drop(flow_ids)
        self._tasks.run(self, run_each(flow_ids, self._backend.delete_flow))

    def rename(self, flow_id: FlowId, name: str) -> None:
        """Rename immediately, with undo; an empty name changes nothing."""
        flow, name = self._flows.flow(flow_id), name.strip()
        if flow is None or not name or name == flow.name:
            return
        self._flows.put(flow.model_copy(update={"name": name}))

        def failed(error: AppError) -> None:
            self._flows.put(flow)
            self._notices.failed(error)

        def done(_: Flow) -> None:
            undo = partial(self.rename, flow_id, flow.name)
            self._notices.post(tr("Renamed to “{name}”", name=name), undo=undo, subject=("rename", flow_id))

        self._tasks.run(self, self._backend.update_flow(flow_id, name=name), done=done, failed=failed)

    # Delete

    def count_executions(self, flow_id: FlowId) -> None:
        """Count the executions of a flow; `executions_counted` carries the result."""
        work = self._backend.list_executions(ExecutionFilter(flow_id=flow_id), PageRequest(limit=1))
        self._tasks.run(
            self, work, done=lambda page: self.executions_counted.emit(page.total), failed=lambda _: None
        )

    @property
    def undo_disabled_reason(self) -> str | None:
        """Why deleting can't be undone; None if it can."""
        return self._flows.reason(Feature.EDIT_FLOWS)

    def delete(self, flow_ids: tuple[FlowId, ...]) -> None:
        """Delete immediately, with undo if the workspace can restore flows."""

        async def delete(flow_id: FlowId) -> Flow:
            flow = await self._backend.get_flow(flow_id)
            await self._backend.delete_flow(flow_id)
            return flow

        def done(batch: BatchResult) -> None:
            deleted = tuple(flow for _, flow in batch.done)
            self._flows.drop(tuple(flow.id for flow in deleted))
            undo = partial(self._restore, deleted) if self.undo_disabled_reason is None else None
            self._notify(batch, DELETED, undo, names={flow.id: flow.name for flow in deleted})

        self._tasks.run(self, run_each(flow_ids, delete), done=done)

    def _restore(self, deleted: tuple[Flow, ...]) -> None:
        """Restore deleted flows and publish those that were published.

        Paused flows and flows with unpublished edits come back as drafts; a notice says so.
        """
        before = {flow.id: flow for flow in deleted}
        drafts = [flow.name for flow in deleted if flow.active and not _is_fully_published(flow)]

        async def restore(flow_id: FlowId) -> Flow:
            flow = await self._backend.restore_flow(flow_id)
            if not _is_fully_published(before[flow_id]):
                return flow
            return await self._backend.publish_flow(flow_id, seen=flow.updated_at)

        def done(batch: BatchResult) -> None:
            self._show_results(batch)
            for _, error in batch.failed:
                self._notices.failed(error)
            if drafts:
                self._notices.post(
                    tr_count(
                        len(drafts),
                        "Restored “{name}” as a draft: it was paused or had unpublished edits.",
                        "Restored {n} flows as drafts: they were paused or had unpublished edits.",
                        name=drafts[0],
                    )
                )

        self._tasks.run(self, run_each(tuple(before), restore), done=done)

    # Create, run

    def create(self, folder_id: FolderId | None = None) -> None:
        """Create a flow and open it in the editor."""
        work = create_new_flow(self._backend, folder_id)
        self._tasks.run(self, work, done=self._on_created, failed=self._notices.failed)

    def run_now(self, flow_id: FlowId) -> None:
        flow = self._flows.flow(flow_id)
        started = tr("“{name}” started", name=flow.name) if flow else tr("The flow started")
        self._tasks.run(
            self,
            self._backend.run_flow(flow_id),
            done=lambda _: self._notices.post(started),
            failed=self._notices.failed,
        )

    def save_as_template(self, flow_id: FlowId) -> None:
        """Save a flow as a template."""
        flow = self._flows.flow(flow_id)
        if flow is None:
            return
        self._tasks.run(
            self,
            self._backend.create_template(flow.name, flow_id),
            done=lambda made: self._notices.post(tr("Saved “{name}” as a template", name=made.name)),
            failed=self._notices.failed,
        )

    def _on_created(self, flow: Flow) -> None:
        self._flows.put(flow)
        self.opened.emit(flow.id)

    # What all share

    def _show_results(self, batch: BatchResult) -> None:
        for _, result in batch.done:
            if isinstance(result, Flow):
                self._flows.put(result)

    def _notify(
        self,
        batch: BatchResult,
        change: BatchChange,
        undo: Callable[[], None] | None,
        names: dict[FlowId, str] | None = None,
    ) -> None:
        """Show one notice for the whole batch, with the first error if any failed."""
        if batch.failed:
            error = batch.failed[0][1]
            if len(batch.failed) == 1 and not batch.done:
                self._notices.failed(error)
            else:
                done = change.of_several(len(batch.done))
                result = tr_count(len(batch.failed), "{done}, {n} failed.", "{done}, {n} failed.", done=done)
                self._notices.post(f"{result} {error.happened}")
            return
        if len(batch.done) == 1:
            key = batch.done[0][0]
            flow = self._flows.flow(key)
            name = (names or {}).get(key) or (flow.name if flow else "")
            self._notices.post(change.of_one(name), undo=undo)
        else:
            self._notices.post(change.of_several(len(batch.done)), undo=undo)
