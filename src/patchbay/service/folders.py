"""Folders: list, create, rename, delete."""

from uuid import uuid4

from patchbay.domain.audit_log import AuditAction
from patchbay.domain.base import FolderId, UserId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.folders import Folder
from patchbay.service.names import checked_name
from patchbay.service.service_context import ServiceContext
from patchbay.storage.repositories import folders, users
from patchbay.storage.repositories.rows import Tx


class Folders:
    """Folders of one user: `user_id`, or by default the user who acts. Other users' folders are not found."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context

    async def list_folders(self, user_id: UserId | None = None) -> tuple[Folder, ...]:
        def work(tx: Tx) -> tuple[Folder, ...]:
            return folders.find(tx, users.get(tx, user_id or self._context.owner_id).id)

        return await self._context.db.read(work)

    async def create_folder(self, name: str, user_id: UserId | None = None) -> Folder:
        now = self._context.clock()
        folder = Folder(
            id=FolderId(str(uuid4())),
            name=checked_name(name),
            user_id=user_id or self._context.owner_id,
            created_at=now,
            updated_at=now,
        )

        def work(tx: Tx) -> Folder:
            users.get(tx, user_id or self._context.owner_id)
            return folders.add(tx, folder)

        await self._context.commit(work, AuditAction.CREATED, ResourceType.FOLDER, folder.id)
        self._context.changes.notify(ResourceType.FOLDER, folder.id, action="created")
        return folder

    async def rename_folder(self, folder_id: FolderId, name: str, user_id: UserId | None = None) -> Folder:
        now, name = self._context.clock(), checked_name(name)

        def work(tx: Tx) -> Folder:
            folders.get(tx, folder_id, user_id or self._context.owner_id)
            folders.rename(tx, folder_id, name, now)
            return folders.get(tx, folder_id, user_id or self._context.owner_id)

        folder = await self._context.commit(work, AuditAction.RENAMED, ResourceType.FOLDER, folder_id)
        self._context.changes.notify(ResourceType.FOLDER, folder_id)
        return folder

    async def delete_folder(self, folder_id: FolderId, user_id: UserId | None = None) -> Change:
        """Delete a folder. Its flows become uncategorised and keep running."""

        def work(tx: Tx) -> None:
            folders.get(tx, folder_id, user_id or self._context.owner_id)
            folders.remove(tx, folder_id)

        await self._context.commit(work, AuditAction.DELETED, ResourceType.FOLDER, folder_id)
        self._context.changes.notify(ResourceType.FLOW)
        return self._context.changes.notify(ResourceType.FOLDER, folder_id, action="deleted")
