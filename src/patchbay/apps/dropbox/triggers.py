"""Triggers."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from patchbay.domain.base import Json
from patchbay.integration import Context, Trigger, cursor, polling_trigger, text
from patchbay.integration.described_requests import PreparedRequest
from patchbay.integration.paging import read_pages
from patchbay.integration.polling import Items

from .paths import path_of

_PAGES = cursor("cursor", "cursor", in_body=True, more="has_more", path="/2/files/list_folder/continue")
_OPTIONS: dict[str, Json] = {
    "recursive": False,
    "include_deleted": False,
    "include_has_explicit_shared_members": False,
    "include_mounted_folders": True,
    "limit": 2000,
    "include_non_downloadable_files": True,
}


def _entries(kind: str) -> Items:
    """The files or folders in a folder that the trigger hasn't reported. Dropbox lists them in no order."""

    async def items(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
        # The top folder is an empty path, so this isn't a template, which leaves out empty values.
        body = {"path": path_of(ctx.parameters.get("folderPath")), **_OPTIONS}
        request = PreparedRequest("POST", "/2/files/list_folder", body=body)
        async with aclosing(read_pages(ctx, request, _PAGES, "entries")) as pages:
            found = [row async for page in pages for row in page if row[".tag"] == kind]
        known = await ctx.seen([row["id"] for row in found])
        for row in reversed(found):
            if row["id"] not in known:
                yield row, row["id"]

    return items


def _folder_trigger(key: str, name: str, description: str, kind: str) -> Trigger:
    return polling_trigger(
        key=key,
        name=name,
        description=description,
        arguments=[
            text(
                "folderPath",
                "Folder",
                placeholder="/Invoices",
                description="The path of the folder. Leave empty for the top folder.",
            )
        ],
        items=_entries(kind),
    )


new_files_in_folder = _folder_trigger(
    "newFilesInFolder", "New file in folder", "Starts when a file is added to a folder.", "file"
)
new_folders = _folder_trigger(
    "newFolders", "New folder", "Starts when a folder is added to a folder.", "folder"
)
