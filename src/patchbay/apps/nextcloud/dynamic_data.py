"""Dropdown lists."""

from patchbay.integration import Context, DynamicData, Option

from .dav import folder_entries


async def load(ctx: Context) -> list[Option]:
    """The top folder and the folders in it. Others can be entered."""
    names = [str(entry["path"]) for entry in await folder_entries(ctx, []) if entry["isFolder"]]
    return [Option(label=name, value=name) for name in ["/", *sorted(names, key=str.casefold)]]


list_folders = DynamicData(key="listFolders", load=load)
