"""Folders over HTTP."""

from patchbay.client.compat import validate_name
from patchbay.client.errors import NotAnApiResponse
from patchbay.client.flow_ownership import FlowOwnershipResolver
from patchbay.client.history import LocalHistory
from patchbay.client.service_adapter import ServiceAdapter
from patchbay.client.service_client import build_path
from patchbay.domain.base import FolderId, UserId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import Forbidden, NotFound, NotSupported
from patchbay.domain.folders import Folder, FolderStats

_FOLDERS = "/v1/folders"
_USER_FOLDERS = "/v1/users/{user}/folders"


class FolderCalls:
    """Folders. For servers without `/v1/folders`, those of each user."""

    _adapter: ServiceAdapter
    _flow_ownership: FlowOwnershipResolver
    _history: LocalHistory

    async def list_folders(self, user_id: UserId | None = None) -> tuple[Folder, ...]:
        if await self._adapter.is_patchbay():
            return (await self._adapter.get(_FOLDERS, {"userId": user_id})).many(Folder)
        try:
            return await self._flow_ownership.folders([user_id] if user_id else None)
        except (Forbidden, NotFound, NotSupported, NotAnApiResponse):
            if user_id is not None:
                raise
            return ()  # a server without folders: its flows are in none

    async def folder_stats(self, user_id: UserId | None = None) -> tuple[FolderStats, ...]:
        """For an Automatisch server, the numbers of flows, with runs from the copy of its history."""
        if not await self._adapter.is_patchbay():
            return await self._history.with_run_counts(await self._flow_ownership.stats(user_id))
        return (await self._adapter.get(_FOLDERS + "/statistics", {"userId": user_id})).many(FolderStats)

    async def create_folder(self, name: str, user_id: UserId | None = None) -> Folder:
        name = await self._checked_name(name)
        owner = user_id if user_id or await self._adapter.is_patchbay() else await self._adapter.owner()
        path = build_path(_USER_FOLDERS, user=owner) if owner else _FOLDERS
        created = (await self._adapter.send("POST", path, {"name": name})).one(Folder)
        self._flow_ownership.invalidate()
        return _with_owner(created, owner)

    async def rename_folder(self, folder_id: FolderId, name: str, user_id: UserId | None = None) -> Folder:
        name = await self._checked_name(name)
        owner = await self._owner_of(folder_id, user_id)
        response = await self._adapter.send("PATCH", _folder_path(folder_id, owner), {"name": name})
        return _with_owner(response.one(Folder), owner)

    async def delete_folder(self, folder_id: FolderId, user_id: UserId | None = None) -> Change:
        await self._adapter.send("DELETE", _folder_path(folder_id, await self._owner_of(folder_id, user_id)))
        self._flow_ownership.invalidate()
        return Change(noun=ResourceType.FOLDER, ids=(folder_id,), action="deleted")

    async def _owner_of(self, folder_id: FolderId, user_id: UserId | None) -> UserId | None:
        """The owner of a folder; None on a Patchbay server, which doesn't need it."""
        if user_id or await self._adapter.is_patchbay():
            return user_id
        for folder in await self.list_folders():
            if folder.id == folder_id and folder.user_id:
                return folder.user_id
        raise NotFound("This folder doesn't exist any more.", todo="Refresh the list of folders.")

    async def _checked_name(self, name: str) -> str:
        """The name, validated here except for Patchbay servers, which do it themselves."""
        return name if await self._adapter.is_patchbay() else validate_name(name)


def _folder_path(folder_id: FolderId, owner: UserId | None) -> str:
    if owner is None:
        return build_path(_FOLDERS + "/{id}", id=folder_id)
    return build_path(_USER_FOLDERS + "/{id}", user=owner, id=folder_id)


def _with_owner(folder: Folder, owner: UserId | None) -> Folder:
    """The folder with its owner, which Automatisch servers don't return."""
    return folder if folder.user_id else folder.model_copy(update={"user_id": owner})
