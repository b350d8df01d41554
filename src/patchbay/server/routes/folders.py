"""Folders of the workspace's owner, without naming the owner."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from patchbay.domain.organise import Folder, FolderStats
from patchbay.server.access import Home
from patchbay.server.bodies import Named
from patchbay.server.docs import answers
from patchbay.server.envelope import Many, One, many, nothing, one
from patchbay.server.params import FilterId, FolderPath

router = APIRouter(prefix="/folders", tags=["folders"])


@router.get("", responses=answers(Many[Folder], missing=True))
async def list_folders(home: Home, user_id: Annotated[FilterId, Query(alias="userId")] = None) -> Response:
    """The folders of the workspace's owner, or of another user, by name."""
    return many(await home.list_folders(user_id))


@router.get("/statistics", responses=answers(Many[FolderStats]))
async def folder_stats(home: Home, user_id: Annotated[FilterId, Query(alias="userId")] = None) -> Response:
    """What each folder holds and how its flows did in the last seven days; null is no folder."""
    return many(await home.folder_stats(user_id))


@router.post("", status_code=201, responses=answers(One[Folder], 201, checked=True))
async def create_folder(home: Home, body: Named) -> Response:
    """A new folder of the workspace's owner."""
    return one(await home.create_folder(body.name), 201)


@router.patch("/{folderId}", responses=answers(One[Folder], missing=True, checked=True))
async def rename_folder(home: Home, folder_id: FolderPath, body: Named) -> Response:
    """Give a folder another name."""
    return one(await home.rename_folder(folder_id, body.name))


@router.delete("/{folderId}", status_code=204, responses=answers(None, 204, missing=True))
async def delete_folder(home: Home, folder_id: FolderPath) -> Response:
    """Delete a folder; its flows stay and go on running."""
    await home.delete_folder(folder_id)
    return nothing()
