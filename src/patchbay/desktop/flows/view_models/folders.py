"""The folder sidebar: entries with counts, and creating, renaming, and deleting folders."""

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.services import Services
from patchbay.desktop.flows.view_models.commands import BatchResult, run_each
from patchbay.desktop.flows.view_models.flow_list import FlowsViewModel, SidebarPlace
from patchbay.domain.backend import Feature
from patchbay.domain.base import FlowId, FolderId
from patchbay.domain.errors import AppError
from patchbay.domain.folders import Folder


@dataclass(frozen=True)
class SidebarEntry:
    """One entry of the sidebar. `folder` is None for the three fixed ones."""

    place: str
    label: str
    count: int | None
    """Number of flows; None if unknown."""
    folder: Folder | None = None

    @property
    def accepts_flows(self) -> bool:
        """Whether flows can be dropped on this entry."""
        return self.folder is not None or self.place == SidebarPlace.UNCATEGORISED

    @property
    def folder_id(self) -> FolderId | None:
        """The ID of the folder; None for a fixed place."""
        return self.folder.id if self.folder else None


class FlowFolders(QObject):
    """Commands over folders. `created` carries the ID of a new folder, to be renamed in place."""

    created = Signal(str)

    def __init__(self, services: Services, flows: FlowsViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._backend = services.backend
        self._tasks = services.tasks
        self._notices = services.notices
        self._flows = flows

    def fixed_entries(self) -> tuple[SidebarEntry, ...]:
        """The places above the folders: all flows, those that need attention, those without a folder."""
        labels = {
            SidebarPlace.ALL: tr("All flows"),
            SidebarPlace.ATTENTION: tr("Needs attention"),
            SidebarPlace.UNCATEGORISED: tr("Uncategorised"),
        }
        return tuple(SidebarEntry(place, label, self._flows.count(place)) for place, label in labels.items())

    def folders(self) -> tuple[SidebarEntry, ...]:
        """The folders with their numbers of flows."""
        return tuple(
            SidebarEntry(folder.id, folder.name, self._flows.count(folder.id), folder)
            for folder in self._flows.folders
        )

    @property
    def unavailable_reason(self) -> str | None:
        """Why folders can't be changed; None if they can."""
        return self._flows.reason(Feature.CHANGES)

    def create(self, name: str = tr("New folder")) -> None:
        """Create a folder; `created` follows."""
        if self.unavailable_reason:
            self._notices.post(self.unavailable_reason)
            return

        def done(folder: Folder) -> None:
            self._flows.folders = (*self._flows.folders, folder)
            self._flows.changed.emit()
            self.created.emit(folder.id)

        self._tasks.run(self, self._backend.create_folder(name), done=done, failed=self._notices.failed)

    def rename(self, folder_id: FolderId, name: str) -> None:
        """Rename immediately, with undo; an empty name changes nothing."""
        folder, name = self._flows.folder(folder_id), name.strip()
        if folder is None or not name or name == folder.name:
            return
        if self.unavailable_reason:
            self._notices.post(self.unavailable_reason)
            return
        self._replace(folder.model_copy(update={"name": name}))

        def failed(error: AppError) -> None:
            self._replace(folder)
            self._notices.failed(error)

        def done(_: Folder) -> None:
            self._notices.post(
                tr("Folder renamed to “{name}”", name=name),
                undo=lambda: self.rename(folder_id, folder.name),
                subject=("rename", folder_id),
            )

        self._tasks.run(self, self._backend.rename_folder(folder_id, name), done=done, failed=failed)

    def delete(self, folder_id: FolderId) -> None:
        """Delete immediately. Undo creates the folder again and moves its flows back, where possible."""
        folder = self._flows.folder(folder_id)
        if folder is None:
            return
        if self.unavailable_reason:
            self._notices.post(self.unavailable_reason)
            return
        inside = tuple(flow.id for flow in self._flows.flows_in(folder_id))

        def done(_: object) -> None:
            text = (
                tr_count(
                    len(inside),
                    "Folder “{name}” deleted, {n} flow moved to Uncategorised",
                    "Folder “{name}” deleted, {n} flows moved to Uncategorised",
                    name=folder.name,
                )
                if inside
                else tr("Folder “{name}” deleted", name=folder.name)
            )
            undo = None if self.is_delete_permanent(folder_id) else partial(self._restore, folder, inside)
            self._notices.post(text, undo=undo)
            self._flows.refresh()

        self._tasks.run(self, self._backend.delete_folder(folder_id), done=done, failed=self._notices.failed)

    def is_delete_permanent(self, folder_id: FolderId) -> bool:
        """Whether the folder's flows couldn't be moved back into it after deleting."""
        return bool(self._flows.flows_in(folder_id)) and self._flows.reason(Feature.EDIT_FLOWS) is not None

    def _restore(self, old: Folder, inside: tuple[FlowId, ...]) -> None:
        async def work() -> BatchResult:
            folder = await self._backend.create_folder(old.name, old.user_id)
            return await run_each(inside, lambda key: self._backend.move_flow(key, folder.id))

        self._tasks.run(self, work(), done=lambda _: self._flows.refresh(), failed=self._notices.failed)

    def _replace(self, folder: Folder) -> None:
        self._flows.folders = tuple(folder if item.id == folder.id else item for item in self._flows.folders)
        self._flows.changed.emit()
