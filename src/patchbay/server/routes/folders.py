"""Folders, without a user ID in the path: those of the key's owner, or of the workspace owner."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from patchbay.domain.base import UserId
from patchbay.domain.folders import Folder, FolderStats
from patchbay.server.authentication import RequestBackend
from patchbay.server.request_models import Named
from patchbay.server.request_parameters import FilterId, FolderPath
from patchbay.server.responses import Many, One, describe_responses, many, no_content, one
from patchbay.server.routing import ResourceRouter

router = ResourceRouter(prefix="/folders", tags=["folders"])


@router.get("", responses=describe_responses(Many[Folder], not_found=True))
async def list_folders(
    backend: RequestBackend, user_id: Annotated[FilterId[UserId], Query(alias="userId")] = None
) -> Response:
    """List the folders of the key's owner, or of another user, by name.

    A key without an owner lists those of the workspace owner.
    """
    return many(await backend.list_folders(user_id))


@router.get("/statistics", responses=describe_responses(Many[FolderStats]))
async def folder_stats(
    backend: RequestBackend, user_id: Annotated[FilterId[UserId], Query(alias="userId")] = None
) -> Response:
    """Get each folder's flows and their runs in the last 7 days; null means no folder."""
    return many(await backend.folder_stats(user_id))


@router.post("", status_code=201, responses=describe_responses(One[Folder], 201, invalid=True))
async def create_folder(backend: RequestBackend, body: Named) -> Response:
    """Create a folder for the key's owner, or for the workspace owner if the key has none."""
    return one(await backend.create_folder(body.name), 201)


@router.patch("/{folderId}", responses=describe_responses(One[Folder], not_found=True, invalid=True))
async def rename_folder(backend: RequestBackend, folder_id: FolderPath, body: Named) -> Response:
    """Rename a folder."""
    return one(await backend.rename_folder(folder_id, body.name))


@router.delete("/{folderId}", status_code=204, responses=describe_responses(None, 204, not_found=True))
async def delete_folder(backend: RequestBackend, folder_id: FolderPath) -> Response:
    """Delete a folder; its flows stay and keep running."""
    await backend.delete_folder(folder_id)
    return no_content()
