"""The folders screen: what each folder holds, how its flows did, and renaming, deleting and filling it."""

from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.executions_filter import DAY, midnight
from patchbay.desktop.state.folders_reads import (
    NO_FOLDER,
    FolderDetail,
    FolderRow,
    delete_folder,
    flows_of,
    in_order,
    move_flows,
    put_back,
    read_all,
    read_detail,
    restore_folder,
)
from patchbay.desktop.state.navigation import Place, Tab
from patchbay.desktop.state.services import Services
from patchbay.desktop.tasks import Latest
from patchbay.domain.backend import Feature
from patchbay.domain.base import FlowId, FolderId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import AppError
from patchbay.domain.executions import ExecutionFilter, ExecutionState
from patchbay.domain.flows import Flow, FlowFilter
from patchbay.domain.organise import Folder, FolderStats, User


class FoldersViewModel(QObject):
    """Folders by name, then the uncategorised. One is selected once there are any."""

    rows_changed = Signal()
    selection_changed = Signal()
    detail_changed = Signal()
    created = Signal(str)
    candidates_read = Signal(object)
    failed = Signal(object)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self.rows: tuple[FolderRow, ...] = ()
        self.text = ""
        self.selected = ""
        self.detail: FolderDetail | None = None
        self.loaded = False
        self.error: AppError | None = None
        self._users: dict[str, User] = {}
        self._asked = False
        self._reading, self._looking, self._choosing = (Latest(services.tasks, self) for _ in range(3))
        services.feed.changed.connect(self._on_change)

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
    def read_only(self) -> str | None:
        """Why folders cannot be filled here; None when they can."""
        return self._backend.capabilities.reason(Feature.EDIT_FLOWS)

    @property
    def looking(self) -> str | None:
        """Why folders cannot be changed; None when they can."""
        return self._backend.capabilities.reason(Feature.CHANGES)

    @property
    def runs_missing(self) -> str | None:
        """Why it is not told how the flows of a folder did; None when it is."""
        return self._backend.capabilities.reason(Feature.STATISTICS)

    def owner(self, row: FolderRow) -> str:
        """Who made a folder; empty where the workspace does not tell."""
        user = self._users.get((row.folder.user_id if row.folder else None) or "")
        return user.full_name if user else ""

    def load(self) -> None:
        """Read what is shown, once; later calls do nothing."""
        if not self._asked:
            self.refresh()

    def refresh(self) -> None:
        self._asked = True
        self._reading.ask(read_all(self._backend), done=self._show, failed=self._failed)

    def filter(self, text: str) -> None:
        self.text = text
        self.rows_changed.emit()

    def select(self, key: str) -> None:
        if key != self.selected:
            self.selected = key
            self.detail = None
            self.selection_changed.emit()
            self._look()

    def create(self, name: str = "New folder") -> None:
        """Make a folder under a free name; `created` asks for its real one."""
        taken = {row.name for row in self.rows}
        free = next(n for n in (name, *(f"{name} {at}" for at in range(2, 999))) if n not in taken)
        self._write(self._backend.create_folder(free), self._created)

    def rename(self, key: str, name: str) -> None:
        """Rename at once, with a way back."""
        row = next((row for row in self.rows if row.key == key), None)
        name = name.strip()
        if row is None or row.folder is None or not name or name == row.name:
            return
        old = row.name
        self._put(row.folder.model_copy(update={"name": name}))

        def back() -> None:
            self._write(self._backend.rename_folder(key, old), self._put)

        self._write(
            self._backend.rename_folder(key, name),
            lambda _: self._services.notices.post(
                f"Renamed “{old}” to “{name}”.", undo=back, subject=("rename", key)
            ),
        )

    def delete(self, key: str) -> None:
        """Delete at once; undoing makes the folder again and puts its flows back, where that can be."""
        row = next((row for row in self.rows if row.key == key), None)
        if row is None or row.folder is None:
            return
        old = row.folder
        self._write(delete_folder(self._backend, key), lambda ids: self._deleted(old, ids))

    def add_flows(self, key: str, flow_ids: tuple[FlowId, ...]) -> None:
        """Move flows here; undoing puts each back where it was."""
        target = None if key == NO_FOLDER else key
        self._write(move_flows(self._backend, flow_ids, target), self._moved)

    def read_candidates(self) -> None:
        """The flows that are not in the selected folder, through `candidates_read`."""
        self._choosing.ask(flows_of(self._backend, None), done=self._offer, failed=self._refused)

    def _offer(self, flows: tuple[Flow, ...]) -> None:
        own = None if self.selected == NO_FOLDER else self.selected
        self.candidates_read.emit(tuple(flow for flow in flows if flow.folder_id != own))

    def open_in_flows(self, flow_id: FlowId | None = None) -> None:
        """Go to the folder's flows, or straight to one of them."""
        if flow_id is not None:
            self._services.navigator.go(Place(Tab.FLOWS, id=flow_id, section="editor"))
        else:
            self._services.navigator.go(Place(Tab.FLOWS, where=FlowFilter(folder_id=self.selected)))

    def show_failures(self) -> None:
        where = ExecutionFilter(folder_id=self.selected, states=(ExecutionState.FAILURE,))
        self._services.navigator.go(Place(Tab.EXECUTIONS, where=where))

    def _write(self, work: Coroutine[Any, Any, Any], done: Callable[[Any], object]) -> None:
        self._services.tasks.run(self, work, done=done, failed=self._refused)

    def _refused(self, error: AppError) -> None:
        self._services.notices.failed(error)
        self.refresh()

    def _created(self, folder: Folder) -> None:
        self.text = ""
        self.rows = in_order((*self.rows, FolderRow(folder, FolderStats(folder_id=folder.id))))
        self.rows_changed.emit()
        self.select(folder.id)
        self.created.emit(folder.id)

    def _put(self, folder: Folder) -> None:
        self.rows = in_order(
            tuple(FolderRow(folder, row.stats) if row.key == folder.id else row for row in self.rows)
        )
        self.rows_changed.emit()

    def _deleted(self, old: Folder, flow_ids: tuple[FlowId, ...]) -> None:
        self.rows = tuple(row for row in self.rows if row.key != old.id)
        if self.selected == old.id:
            self.select(self.rows[0].key if self.rows else "")
        self.rows_changed.emit()

        def back() -> None:
            self._write(restore_folder(self._backend, old, flow_ids), lambda folder: self.select(folder.id))

        count = len(flow_ids)
        moved = f", {count} flow{'s' if count != 1 else ''} moved to Uncategorised" if count else ""
        undo = None if flow_ids and self.read_only else back
        self._services.notices.post(f"Folder “{old.name}” deleted{moved}.", undo=undo)

    def _moved(self, old: dict[FlowId, FolderId | None]) -> None:
        def back() -> None:
            self._write(put_back(self._backend, old), lambda _: None)

        count = len(old)
        self._services.notices.post(f"{count} flow{'s' if count != 1 else ''} moved.", undo=back)

    def _failed(self, error: AppError) -> None:
        if self.loaded:
            self._services.notices.failed(error)
            return
        self.error = error
        self.failed.emit(error)

    def _show(self, answer: tuple[tuple[Folder, ...], tuple[FolderStats, ...], tuple[User, ...]]) -> None:
        folders, stats, users = answer
        self.loaded, self.error = True, None
        self._users = {user.id: user for user in users}
        known = {item.folder_id: item for item in stats}
        rows = [
            FolderRow(item, known.get(item.id if item else None, FolderStats(folder_id=item and item.id)))
            for item in (*folders, None)
        ]
        self.rows = in_order(rows)
        self.rows_changed.emit()
        if self.row is None and folders:
            self.select(self.rows[0].key)
        else:
            self._look()

    def _look(self) -> None:
        if not self.selected:
            return
        now = self._services.clock()
        work = read_detail(self._backend, self.selected, midnight(now) + DAY)
        self._looking.ask(work, done=self._looked, failed=self._services.notices.failed)

    def _looked(self, detail: FolderDetail) -> None:
        self.detail = detail
        self.detail_changed.emit()

    def _on_change(self, change: Change) -> None:
        if self._asked and change.noun in (ResourceType.FOLDER, ResourceType.FLOW, ResourceType.WORKSPACE):
            self.refresh()
