"""View-model of the folders screen: rows, statistics, and renaming, deleting, and filling folders."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.names import by_name
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.screen_view_model import ScreenViewModel
from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import FlowId, FolderId, UserId, get_optional
from patchbay.domain.changes import ResourceType
from patchbay.domain.clock import DAY_MS, midnight
from patchbay.domain.errors import AppError, NotSupported
from patchbay.domain.executions import ExecutionFilter, ExecutionState, FlowActivity, Histogram
from patchbay.domain.flows import Flow, FlowFilter
from patchbay.domain.folders import NO_FOLDER, Folder, FolderStats
from patchbay.domain.paging import read_all
from patchbay.domain.people import User

DAYS = 14


@dataclass(frozen=True)
class FolderRow:
    """One row of the table; `folder` is None for uncategorised flows."""

    folder: Folder | None
    stats: FolderStats

    @property
    def key(self) -> FolderId:
        """The ID of the folder, or `NO_FOLDER`."""
        return self.folder.id if self.folder else NO_FOLDER

    @property
    def name(self) -> str:
        """The name of the folder; “Uncategorised” for flows without one."""
        return self.folder.name if self.folder else tr("Uncategorised")

    @property
    def drafts(self) -> int:
        """The number of flows that aren't published."""
        return max(0, self.stats.flows - self.stats.published)

    @property
    def success_rate(self) -> float | None:
        """Share of successful runs in the last 7 days; None without runs."""
        return 1 - self.stats.failures / self.stats.runs if self.stats.runs else None


@dataclass(frozen=True)
class FolderDetail:
    """The pane of a folder: its flows, their last runs, and runs by day (None if unavailable)."""

    key: FolderId
    flows: tuple[Flow, ...] = ()
    activity: dict[FlowId, FlowActivity] = field(default_factory=dict)
    runs: Histogram | None = None


def sort_folders(rows: Iterable[FolderRow]) -> tuple[FolderRow, ...]:
    """Return rows sorted by name, uncategorised flows last."""
    return tuple(sorted(rows, key=lambda row: (row.folder is None, by_name(row.name))))


async def _read_folders_with_stats(
    backend: Backend,
) -> tuple[tuple[Folder, ...], tuple[FolderStats, ...], tuple[User, ...]]:
    return await asyncio.gather(backend.list_folders(), backend.folder_stats(), _load_users(backend))


async def _load_users(backend: Backend) -> tuple[User, ...]:
    """Return all users, or none if the API key has no permission."""
    try:
        return await backend.list_users()
    except AppError:
        return ()


async def _list_flows(backend: Backend, key: FolderId | None) -> list[Flow]:
    """Return every flow of a folder (`NO_FOLDER`: in none; None: of all)."""
    return await read_all(partial(backend.list_flows, FlowFilter(folder_id=key)))


async def read_detail(backend: Backend, key: FolderId, end: int) -> FolderDetail:
    """Read the flows of a folder, their activity, and the runs of the days until `end`."""
    flows, runs = await asyncio.gather(_list_flows(backend, key), _load_runs(backend, key, end))
    activity = await _load_activity(backend, tuple(flow.id for flow in flows))
    return FolderDetail(key, tuple(flows), activity, runs)


async def _load_runs(backend: Backend, key: FolderId, end: int) -> Histogram | None:
    if backend.capabilities.reason(Feature.STATISTICS):
        return None
    try:
        return await backend.histogram(ExecutionFilter(folder_id=key), end - DAYS * DAY_MS, end, DAYS)
    except NotSupported:  # unsupported operations aren't known before the workspace is open
        return None


async def _load_activity(backend: Backend, ids: tuple[FlowId, ...]) -> dict[FlowId, FlowActivity]:
    if not ids or backend.capabilities.reason(Feature.STATISTICS):
        return {}
    return {item.flow_id: item for item in await backend.flow_activity(ids)}


async def delete_folder(backend: Backend, key: FolderId) -> tuple[FlowId, ...]:
    """Delete a folder, and return the flows that were in it."""
    flows = await _list_flows(backend, key)
    await backend.delete_folder(key)
    return tuple(flow.id for flow in flows)


async def restore_folder(backend: Backend, old: Folder, flow_ids: tuple[FlowId, ...]) -> Folder:
    """Create a folder again with the same name, owner, and flows."""
    folder = await backend.create_folder(old.name, old.user_id)
    for flow_id in flow_ids:
        await backend.move_flow(flow_id, folder.id)
    return folder


async def move_flows(
    backend: Backend, flow_ids: tuple[FlowId, ...], target: FolderId | None
) -> dict[FlowId, FolderId | None]:
    """Return the previous folder of each flow."""
    old: dict[FlowId, FolderId | None] = {}
    for flow_id in flow_ids:
        old[flow_id] = (await backend.get_flow(flow_id)).folder_id
        await backend.move_flow(flow_id, target)
    return old


async def restore_folders_of_flows(backend: Backend, old: dict[FlowId, FolderId | None]) -> None:
    """Move flows back to the folders they were in."""
    for flow_id, folder_id in old.items():
        await backend.move_flow(flow_id, folder_id)


# View-model


class FoldersViewModel(ScreenViewModel):
    """The folders screen: folders by name, then uncategorised flows. One is always selected."""

    rows_changed = Signal()
    selection_changed = Signal()
    detail_changed = Signal()
    created = Signal(str)
    candidates_loaded = Signal(object)

    reloads_on = (ResourceType.FOLDER, ResourceType.FLOW, ResourceType.WORKSPACE)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(services, parent)
        self.rows: tuple[FolderRow, ...] = ()
        self.text = ""
        self.selected = FolderId("")
        self.detail: FolderDetail | None = None
        self._users: dict[UserId, User] = {}
        self._detail_request = LatestRequest(services.tasks, self)
        self._candidates_request = LatestRequest(services.tasks, self)

    @property
    def shown(self) -> tuple[FolderRow, ...]:
        """The rows whose name contains the filter's text."""
        wanted = self.text.casefold()
        return tuple(row for row in self.rows if wanted in row.name.casefold())

    @property
    def row(self) -> FolderRow | None:
        """The selected row."""
        return next((row for row in self.rows if row.key == self.selected), None)

    @property
    def edit_disabled_reason(self) -> str | None:
        """Why flows can't be moved into folders; None if they can."""
        return self._backend.capabilities.reason(Feature.EDIT_FLOWS)

    @property
    def unavailable_reason(self) -> str | None:
        """Why folders can't be changed; None if they can."""
        return self._backend.capabilities.reason(Feature.CHANGES)

    @property
    def runs_unavailable_reason(self) -> str | None:
        """Why statistics aren't available; None if they are."""
        return self._backend.capabilities.reason(Feature.STATISTICS)

    def owner(self, row: FolderRow) -> str:
        """Return the name of the folder's owner; empty if unknown."""
        user = get_optional(self._users, row.folder.user_id) if row.folder else None
        return user.full_name if user else ""

    def _read(self) -> None:
        self._load_request.run(
            _read_folders_with_stats(self._backend), done=self._on_loaded, failed=self._on_load_failed
        )

    def filter(self, text: str) -> None:
        """Show only folders whose name matches."""
        self.text = text
        self.rows_changed.emit()

    def select(self, key: FolderId) -> None:
        """Select a folder and load its details."""
        if key != self.selected:
            self.selected = key
            self.detail = None
            self.selection_changed.emit()
            self._load_detail()

    def create(self, name: str = tr("New folder")) -> None:
        """Create a folder with an unused name; `created` follows, to rename it in place."""
        taken = {row.name for row in self.rows}
        free = next(n for n in (name, *(f"{name} {at}" for at in range(2, 999))) if n not in taken)
        self._write(self._backend.create_folder(free), self._on_created)

    def rename(self, key: FolderId, name: str) -> None:
        """Rename immediately, with undo."""
        row = next((row for row in self.rows if row.key == key), None)
        name = name.strip()
        if row is None or row.folder is None or not name or name == row.name:
            return
        old = row.name
        self._replace_folder(row.folder.model_copy(update={"name": name}))

        def back() -> None:
            self._write(self._backend.rename_folder(key, old), self._replace_folder)

        self._write(
            self._backend.rename_folder(key, name),
            lambda _: self._services.notices.post(
                tr("Renamed “{old}” to “{new}”.", old=old, new=name), undo=back, subject=("rename", key)
            ),
        )

    def delete(self, key: FolderId) -> None:
        """Delete immediately. Undo creates the folder again and moves its flows back, where possible."""
        row = next((row for row in self.rows if row.key == key), None)
        if row is None or row.folder is None:
            return
        old = row.folder
        self._write(delete_folder(self._backend, key), lambda ids: self._on_deleted(old, ids))

    def add_flows(self, key: FolderId, flow_ids: tuple[FlowId, ...]) -> None:
        """Move flows into the selected folder, with undo."""
        target = None if key == NO_FOLDER else key
        self._write(move_flows(self._backend, flow_ids, target), self._on_moved)

    def read_candidates(self) -> None:
        """Load the flows outside the selected folder; `candidates_loaded` carries them."""
        self._candidates_request.run(
            _list_flows(self._backend, None), done=self._on_candidates_loaded, failed=self._on_write_failed
        )

    def _on_candidates_loaded(self, flows: tuple[Flow, ...]) -> None:
        own = None if self.selected == NO_FOLDER else self.selected
        self.candidates_loaded.emit(tuple(flow for flow in flows if flow.folder_id != own))

    def open_in_flows(self, flow_id: FlowId | None = None) -> None:
        """Show the folder's flows in the Flows tab, or open one of them."""
        if flow_id is not None:
            self._services.navigator.go(Place(Tab.FLOWS, id=flow_id, section="editor"))
        else:
            self._services.navigator.go(Place(Tab.FLOWS, where=FlowFilter(folder_id=self.selected)))

    def show_failures(self) -> None:
        """Show the failed executions of the selected folder."""
        where = ExecutionFilter(folder_id=self.selected, states=(ExecutionState.FAILURE,))
        self._services.navigator.go(Place(Tab.EXECUTIONS, where=where))

    def _write(self, work: Coroutine[Any, Any, Any], done: Callable[[Any], object]) -> None:
        self._services.tasks.run(self, work, done=done, failed=self._on_write_failed)

    def _on_write_failed(self, error: AppError) -> None:
        self._services.notices.failed(error)
        self.refresh()

    def _on_created(self, folder: Folder) -> None:
        self.text = ""
        self.rows = sort_folders((*self.rows, FolderRow(folder, FolderStats(folder_id=folder.id))))
        self.rows_changed.emit()
        self.select(folder.id)
        self.created.emit(folder.id)

    def _replace_folder(self, folder: Folder) -> None:
        self.rows = sort_folders(
            tuple(FolderRow(folder, row.stats) if row.key == folder.id else row for row in self.rows)
        )
        self.rows_changed.emit()

    def _on_deleted(self, old: Folder, flow_ids: tuple[FlowId, ...]) -> None:
        self.rows = tuple(row for row in self.rows if row.key != old.id)
        if self.selected == old.id:
            self.select(self.rows[0].key if self.rows else FolderId(""))
        self.rows_changed.emit()

        def back() -> None:
            self._write(restore_folder(self._backend, old, flow_ids), lambda folder: self.select(folder.id))

        text = (
            tr_count(
                len(flow_ids),
                "Folder “{name}” deleted, {n} flow moved to Uncategorised.",
                "Folder “{name}” deleted, {n} flows moved to Uncategorised.",
                name=old.name,
            )
            if flow_ids
            else tr("Folder “{name}” deleted.", name=old.name)
        )
        undo = None if flow_ids and self.edit_disabled_reason else back
        self._services.notices.post(text, undo=undo)

    def _on_moved(self, old: dict[FlowId, FolderId | None]) -> None:
        def back() -> None:
            self._write(restore_folders_of_flows(self._backend, old), lambda _: None)

        self._services.notices.post(tr_count(len(old), "{n} flow moved.", "{n} flows moved."), undo=back)

    def _on_loaded(
        self, result: tuple[tuple[Folder, ...], tuple[FolderStats, ...], tuple[User, ...]]
    ) -> None:
        folders, stats, users = result
        self.loaded, self.error = True, None
        self._users = {user.id: user for user in users}
        known = {item.folder_id: item for item in stats}
        rows = [
            FolderRow(item, known.get(key, FolderStats(folder_id=key)))
            for item in (*folders, None)
            for key in [item.id if item else None]
        ]
        self.rows = sort_folders(rows)
        self.rows_changed.emit()
        if self.row is None and folders:
            self.select(self.rows[0].key)
        else:
            self._load_detail()

    def _load_detail(self) -> None:
        if not self.selected:
            return
        now = self._services.clock()
        work = read_detail(self._backend, self.selected, midnight(now) + DAY_MS)
        self._detail_request.run(work, done=self._on_detail_loaded, failed=self._services.notices.failed)

    def _on_detail_loaded(self, detail: FolderDetail) -> None:
        self.detail = detail
        self.detail_changed.emit()
