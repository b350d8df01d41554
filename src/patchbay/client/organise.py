"""Folders, templates and people over HTTP."""

from patchbay.client.peer import Peer
from patchbay.client.service import at
from patchbay.domain.base import FlowId, FolderId, TemplateId, UserId
from patchbay.domain.changes import Change, Noun
from patchbay.domain.errors import NotFound
from patchbay.domain.flows import Flow
from patchbay.domain.organise import Folder, FolderStats, Template, User

_FOLDERS = "/v1/folders"
_USER_FOLDERS = "/v1/users/{user}/folders"
_TEMPLATES = "/v1/templates"


class FolderCalls:
    """Folders. Services without `/v1/folders` are asked user by user."""

    _peer: Peer

    async def list_folders(self, user_id: UserId | None = None) -> tuple[Folder, ...]:
        service = self._peer.service
        if await self._peer.is_ours():
            return (await service.get(_FOLDERS, {"userId": user_id})).many(Folder)
        users = [user_id] if user_id else [user.id for user in await self._peer.users()]
        found = [folder for user in users for folder in await self._folders_of(user)]
        return tuple(sorted(found, key=lambda folder: folder.name.casefold()))

    async def folder_stats(self) -> tuple[FolderStats, ...]:
        """Nothing from services without statistics."""
        if not await self._peer.is_ours():
            return ()
        return (await self._peer.service.get(_FOLDERS + "/statistics")).many(FolderStats)

    async def create_folder(self, name: str, user_id: UserId | None = None) -> Folder:
        path = _FOLDERS
        if user_id or not await self._peer.is_ours():
            path = at(_USER_FOLDERS, user=user_id or await self._peer.owner())
        return (await self._peer.service.send("POST", path, {"name": name})).one(Folder)

    async def rename_folder(self, folder_id: FolderId, name: str, user_id: UserId | None = None) -> Folder:
        path = await self._folder_path(folder_id, user_id)
        return (await self._peer.service.send("PATCH", path, {"name": name})).one(Folder)

    async def delete_folder(self, folder_id: FolderId, user_id: UserId | None = None) -> Change:
        path = await self._folder_path(folder_id, user_id)
        await self._peer.service.send("DELETE", path)
        return Change(noun=Noun.FOLDER, ids=(folder_id,), action="deleted")

    async def _folders_of(self, user_id: UserId) -> tuple[Folder, ...]:
        answer = await self._peer.service.get(at(_USER_FOLDERS, user=user_id))
        return tuple(item.model_copy(update={"user_id": user_id}) for item in answer.many(Folder))

    async def _folder_path(self, folder_id: FolderId, user_id: UserId | None = None) -> str:
        if user_id is None and await self._peer.is_ours():
            return at(_FOLDERS + "/{id}", id=folder_id)
        owner = user_id or await self._owner_of(folder_id)
        return at(_USER_FOLDERS + "/{id}", user=owner, id=folder_id)

    async def _owner_of(self, folder_id: FolderId) -> UserId:
        for folder in await self.list_folders():
            if folder.id == folder_id and folder.user_id:
                return folder.user_id
        raise NotFound("This folder does not exist (any more).", todo="Refresh the list of folders.")


class TemplateCalls:
    """Templates and users."""

    _peer: Peer

    async def list_templates(self) -> tuple[Template, ...]:
        return (await self._peer.service.get(_TEMPLATES)).many(Template)

    async def create_template(self, name: str, flow_id: FlowId) -> Template:
        body = {"name": name, "flowId": flow_id}
        return (await self._peer.service.send("POST", _TEMPLATES, body)).one(Template)

    async def delete_template(self, template_id: TemplateId) -> Change:
        await self._peer.service.send("DELETE", at(_TEMPLATES + "/{id}", id=template_id))
        return Change(noun=Noun.TEMPLATE, ids=(template_id,), action="deleted")

    async def use_template(self, template_id: TemplateId, user_id: UserId | None = None) -> Flow:
        body = {"userId": user_id or await self._peer.owner(), "templateId": template_id}
        return (await self._peer.service.send("POST", "/v1/flows", body)).one(Flow)

    async def list_users(self) -> tuple[User, ...]:
        return await self._peer.users()
