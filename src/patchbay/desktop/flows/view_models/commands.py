"""What can be done with flows from the list: publish, move, duplicate, delete with undo, create, run."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.names import plural
from patchbay.desktop.core.services import Services
from patchbay.desktop.editor.view_models.publishing import publish_named
from patchbay.desktop.flows.view_models.flow_list import FlowsViewModel
from patchbay.domain.backend import Feature
from patchbay.domain.base import FlowId, FolderId
from patchbay.domain.errors import AppError, Blocker, FlowNotReady
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.flows import Flow, FlowStatus
from patchbay.domain.paging import PageRequest


@dataclass(frozen=True)
class NotReady:
    """A flow that refused to be published, with what is missing."""

    flow_id: FlowId
    blockers: tuple[Blocker, ...]


@dataclass(frozen=True)
class Batch:
    """How one command went for several flows, in the order they were given."""

    done: tuple[tuple[FlowId, Any], ...]
    failed: tuple[tuple[FlowId, AppError], ...]


def _runs_as_it_is(flow: Flow) -> bool:
    """Whether publishing the flow again changes nothing: it is published, not paused, and has no edits."""
    return flow.active and flow.paused_at is None and not flow.has_unpublished_edits


async def each(flow_ids: tuple[FlowId, ...], act: Callable[[FlowId], Awaitable[Any]]) -> Batch:
    """Do it for one flow after the other; one that fails does not keep the rest from being done."""
    done: list[tuple[FlowId, Any]] = []
    failed: list[tuple[FlowId, AppError]] = []
    for flow_id in flow_ids:
        try:
            done.append((flow_id, await act(flow_id)))
        except AppError as error:
            failed.append((flow_id, error))
    return Batch(tuple(done), tuple(failed))


class FlowCommands(QObject):
    """Commands over the flows of the list. Errors become notices; successes that can be undone offer it."""

    not_ready = Signal(object)
    opened = Signal(str)
    executions_counted = Signal(int)

    def __init__(self, services: Services, flows: FlowsViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._backend, self._tasks, self._notices = services.backend, services.tasks, services.notices
        self._flows = flows

    # Publish

    def set_published(self, flow_ids: tuple[FlowId, ...], on: bool) -> None:
        """Publish the flows as the list shows them, or unpublish them; others are left alone.

        A flow that was changed since the list read it isn't published.
        """
        flows = {key: flow for key in flow_ids if (flow := self._flows.flow(key)) and flow.active is not on}
        if not flows:
            return
        wanted = tuple(flows)

        def publish(flow_id: FlowId) -> Awaitable[Flow]:
            return publish_named(self._backend, flows[flow_id])

        act = publish if on else self._backend.unpublish_flow
        self._flows.set_busy(wanted, True)
        task = self._tasks.run(self, each(wanted, act), done=partial(self._published, on))
        task.ended.connect(lambda: self._flows.set_busy(wanted, False))

    def _published(self, on: bool, batch: Batch) -> None:
        self._take_over(batch)
        single = len(batch.done) + len(batch.failed) == 1
        if single and batch.failed and isinstance(error := batch.failed[0][1], FlowNotReady):
            self.not_ready.emit(NotReady(batch.failed[0][0], error.blockers))
            return
        self._tell(batch, "published" if on else "unpublished", undo=None)

    # Pause

    def set_paused(self, flow_ids: tuple[FlowId, ...], on: bool) -> None:
        """Hold published flows, or let them go on; drafts are left alone. Undo does the opposite."""
        wanted = FlowStatus.PUBLISHED if on else FlowStatus.PAUSED
        chosen = tuple(key for key in flow_ids if (flow := self._flows.flow(key)) and flow.status is wanted)
        if not chosen:
            return
        act = self._backend.pause_flow if on else self._backend.resume_flow

        def done(batch: Batch) -> None:
            self._take_over(batch)
            changed = tuple(key for key, _ in batch.done)
            undo = partial(self.set_paused, changed, not on)
            self._tell(batch, "paused" if on else "resumed", undo)

        self._tasks.run(self, each(chosen, act), done=done)

    # Move, duplicate, rename

    def move(self, flow_ids: tuple[FlowId, ...], folder_id: FolderId | None) -> None:
        before = {
            key: flow.folder_id
            for key in flow_ids
            if (flow := self._flows.flow(key)) and flow.folder_id != folder_id
        }
        if not before:
            return
        for key in before:
            self._show_moved(key, folder_id)
        work = each(tuple(before), lambda key: self._backend.move_flow(key, folder_id))
        self._tasks.run(self, work, done=partial(self._moved, before, folder_id))

    def _moved(self, before: dict[FlowId, FolderId | None], folder_id: FolderId | None, batch: Batch) -> None:
        self._take_over(batch)
        for key, _ in batch.failed:
            self._show_moved(key, before[key])
        folder = self._flows.folder(folder_id)
        self._tell(
            batch, f"moved to {folder.name if folder else 'Uncategorised'}", lambda: self._move_back(before)
        )

    def _move_back(self, before: dict[FlowId, FolderId | None]) -> None:
        for key, folder_id in before.items():
            self._show_moved(key, folder_id)
        work = each(tuple(before), lambda key: self._backend.move_flow(key, before[key]))
        self._tasks.run(self, work, done=self._take_over)

    def _show_moved(self, flow_id: FlowId, folder_id: FolderId | None) -> None:
        if flow := self._flows.flow(flow_id):
            self._flows.put(flow.model_copy(update={"folder_id": folder_id}))

    def duplicate(self, flow_ids: tuple[FlowId, ...]) -> None:
        def done(batch: Batch) -> None:
            self._take_over(batch)
            copies = tuple(flow.id for _, flow in batch.done)
            self._tell(batch, "duplicated", lambda: self._discard(copies))

        self._tasks.run(self, each(flow_ids, self._backend.duplicate_flow), done=done)

    def _discard(self, flow_ids: tuple[FlowId, ...]) -> None:
        self._flows.drop(flow_ids)
        self._tasks.run(self, each(flow_ids, self._backend.delete_flow))

    def rename(self, flow_id: FlowId, name: str) -> None:
        """Give another name, at once and with undo; an empty name changes nothing."""
        flow, name = self._flows.flow(flow_id), name.strip()
        if flow is None or not name or name == flow.name:
            return
        self._flows.put(flow.model_copy(update={"name": name}))

        def failed(error: AppError) -> None:
            self._flows.put(flow)
            self._notices.failed(error)

        def done(_: Flow) -> None:
            undo = partial(self.rename, flow_id, flow.name)
            self._notices.post(f"Renamed to “{name}”", undo=undo, subject=("rename", flow_id))

        self._tasks.run(self, self._backend.update_flow(flow_id, name=name), done=done, failed=failed)

    # Delete

    def count_executions(self, flow_id: FlowId) -> None:
        """How many executions a flow has; the answer comes as `executions_counted`."""
        work = self._backend.list_executions(ExecutionFilter(flow_id=flow_id), PageRequest(limit=1))
        self._tasks.run(
            self, work, done=lambda page: self.executions_counted.emit(page.total), failed=lambda _: None
        )

    @property
    def delete_lasts(self) -> str | None:
        """Why deleted flows cannot be brought back here; None when they can."""
        return self._flows.reason(Feature.EDIT_FLOWS)

    def delete(self, flow_ids: tuple[FlowId, ...]) -> None:
        """Delete at once, with undo where the workspace can bring flows back."""

        async def delete(flow_id: FlowId) -> Flow:
            flow = await self._backend.get_flow(flow_id)
            await self._backend.delete_flow(flow_id)
            return flow

        def done(batch: Batch) -> None:
            gone = tuple(flow for _, flow in batch.done)
            self._flows.drop(tuple(flow.id for flow in gone))
            undo = partial(self._restore, gone) if self.delete_lasts is None else None
            self._tell(batch, "deleted", undo, names={flow.id: flow.name for flow in gone})

        self._tasks.run(self, each(flow_ids, delete), done=done)

    def _restore(self, gone: tuple[Flow, ...]) -> None:
        """Bring them back, published as they were. Edits that weren't published stay so, and so does a pause:
        such flows come back as drafts, and a notice says it.
        """
        before = {flow.id: flow for flow in gone}
        drafts = [flow.name for flow in gone if flow.active and not _runs_as_it_is(flow)]

        async def restore(flow_id: FlowId) -> Flow:
            flow = await self._backend.restore_flow(flow_id)
            if not _runs_as_it_is(before[flow_id]):
                return flow
            return await self._backend.publish_flow(flow_id, seen=flow.updated_at)

        def done(batch: Batch) -> None:
            self._take_over(batch)
            for _, error in batch.failed:
                self._notices.failed(error)
            if drafts:
                self._notices.post(
                    f"“{drafts[0]}” is back as a draft. It was paused or had unpublished edits."
                    if len(drafts) == 1
                    else f"{len(drafts)} flows are back as drafts. They were paused or had unpublished edits."
                )

        self._tasks.run(self, each(tuple(before), restore), done=done)

    # Create, run

    def create(self, folder_id: FolderId | None = None) -> None:
        work = self._backend.create_flow(folder_id=folder_id)
        self._tasks.run(self, work, done=self._open, failed=self._notices.failed)

    def run_now(self, flow_id: FlowId) -> None:
        flow = self._flows.flow(flow_id)
        name = flow.name if flow else "The flow"
        self._tasks.run(
            self,
            self._backend.run_flow(flow_id),
            done=lambda _: self._notices.post(f"“{name}” was started"),
            failed=self._notices.failed,
        )

    def save_as_template(self, flow_id: FlowId) -> None:
        flow = self._flows.flow(flow_id)
        if flow is None:
            return
        self._tasks.run(
            self,
            self._backend.create_template(flow.name, flow_id),
            done=lambda made: self._notices.post(f"“{made.name}” is now a template"),
            failed=self._notices.failed,
        )

    def _open(self, flow: Flow) -> None:
        self._flows.put(flow)
        self.opened.emit(flow.id)

    # What all share

    def _take_over(self, batch: Batch) -> None:
        for _, result in batch.done:
            if isinstance(result, Flow):
                self._flows.put(result)

    def _tell(
        self,
        batch: Batch,
        verb: str,
        undo: Callable[[], None] | None,
        names: dict[FlowId, str] | None = None,
    ) -> None:
        """One notice for the whole batch: what was done, or what failed first and how many did."""
        if batch.failed:
            error = batch.failed[0][1]
            if len(batch.failed) == 1 and not batch.done:
                self._notices.failed(error)
            else:
                done = f"{plural(len(batch.done), 'flow')} {verb}, {len(batch.failed)} not."
                self._notices.post(f"{done} {error.happened}")
            return
        if len(batch.done) == 1:
            key = batch.done[0][0]
            flow = self._flows.flow(key)
            name = (names or {}).get(key) or (flow.name if flow else "")
            self._notices.post(f"“{name}” {verb}", undo=undo)
        else:
            self._notices.post(f"{plural(len(batch.done), 'flow')} {verb}", undo=undo)
