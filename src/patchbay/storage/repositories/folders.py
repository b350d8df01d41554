"""Folders. Deletion removes the row, after moving the flows out of the folder."""

from typing import Any

from sqlalchemy import Select, delete, insert, select, update

from patchbay.domain.base import EpochMs, FolderId, UserId
from patchbay.domain.folders import Folder
from patchbay.storage.repositories.rows import Tx, not_found
from patchbay.storage.tables import flow, folder


def get(tx: Tx, folder_id: FolderId, user_id: UserId) -> Folder:
    """Get a folder of this user. Raises `NotFound`, also for a folder of another user."""
    row = tx.execute(_of(user_id).where(folder.c.id == folder_id)).mappings().first()
    if row is None:
        raise not_found("folder")
    return Folder.model_validate(dict(row))


def find(tx: Tx, user_id: UserId) -> tuple[Folder, ...]:
    """Return the folders of a user, by name."""
    rows = tx.execute(_of(user_id).order_by(folder.c.name, folder.c.id)).mappings()
    return tuple(Folder.model_validate(dict(row)) for row in rows)


def add(tx: Tx, item: Folder) -> Folder:
    """Insert a folder."""
    tx.execute(insert(folder).values(**item.model_dump()))
    return item


def rename(tx: Tx, folder_id: FolderId, name: str, now: EpochMs) -> None:
    """Set the name of a folder."""
    tx.execute(update(folder).where(folder.c.id == folder_id).values(name=name, updated_at=now))


def remove(tx: Tx, folder_id: FolderId) -> None:
    """Move all flows, also deleted ones, out of the folder, and delete it."""
    tx.execute(update(flow).where(flow.c.folder_id == folder_id).values(folder_id=None))
    tx.execute(delete(folder).where(folder.c.id == folder_id))


def _of(user_id: UserId) -> Select[Any]:
    return select(folder).where(folder.c.user_id == user_id)
