"""Triggers."""

from collections.abc import AsyncGenerator

from patchbay.domain.base import JsonObject
from patchbay.integration import Context, dropdown, polling_trigger
from patchbay.integration.polling import Item
from patchbay.integration.values import text_of

from .dav import folder_entries, path_parts


async def items(ctx: Context) -> AsyncGenerator[Item, None]:
    """The files that the flow hasn't seen. Moved files keep their date, so all are compared."""
    parts = path_parts(text_of(ctx.parameters, "folder"), "folder")
    files = [entry for entry in await folder_entries(ctx, parts) if not entry["isFolder"]]
    seen = await ctx.seen([_id(file) for file in files])
    for file in files:
        if _id(file) not in seen:
            yield file, _id(file)


def _id(file: JsonObject) -> str:
    """The ID that a file keeps when it's renamed; its path if the server has none."""
    return str(file["id"] or file["path"])


new_file = polling_trigger(
    key="newFile",
    name="New file in folder",
    description="Starts for each file that is added to a folder, not for files in folders in it.",
    arguments=(
        dropdown(
            "folder",
            "Folder",
            source="listFolders",
            required=True,
            description="A path such as /Invoices/2026. / is the top folder.",
        ),
    ),
    source=["folder"],
    items=items,
)
