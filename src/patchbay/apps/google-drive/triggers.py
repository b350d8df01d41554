"""Triggers."""

from patchbay.domain.base import JsonObject
from patchbay.integration import YES_NO, dropdown, polling_trigger
from patchbay.integration.google import FOLDER_TYPE, drive_dropdown, drive_files, drive_text, files_of_type
from patchbay.integration.values import as_bool

_FILES = f"mimeType != {drive_text(FOLDER_TYPE)}"
_FOLDER = dropdown(
    "folderId",
    "Folder",
    source="listFolders",
    within="driveId",
    description="Without its subfolders. Leave empty for the whole drive.",
)


def _in_folder(search: str, parameters: JsonObject) -> str:
    folder_id = parameters.get("folderId")
    return f"{search} and {drive_text(folder_id)} in parents" if folder_id else search


def _changed_files(parameters: JsonObject) -> str:
    search = _in_folder(_FILES, parameters)
    return search if as_bool(parameters.get("includeDeleted"), True) else f"{search} and trashed = false"


new_files = polling_trigger(
    key="newFiles",
    name="New file",
    description="Starts when a file is created in a drive, in any folder.",
    arguments=[drive_dropdown()],
    items=drive_files(f"{_FILES} and trashed = false"),
)

new_files_in_folder = polling_trigger(
    key="newFilesInFolder",
    name="New file in folder",
    description="Starts when a file is created in a folder.",
    arguments=[drive_dropdown(), _FOLDER],
    items=drive_files(lambda parameters: _in_folder(f"{_FILES} and trashed = false", parameters)),
)

new_folders = polling_trigger(
    key="newFolders",
    name="New folder",
    description="Starts when a folder is created.",
    arguments=[drive_dropdown(), _FOLDER],
    items=drive_files(lambda parameters: _in_folder(files_of_type(FOLDER_TYPE), parameters)),
)

updated_files = polling_trigger(
    key="updatedFiles",
    name="Updated file",
    description="Starts when a file is created or changed.",
    arguments=[
        drive_dropdown(),
        _FOLDER,
        dropdown("includeDeleted", "Include files in the trash", YES_NO, required=True, value=True),
    ],
    items=drive_files(_changed_files, order_by="modifiedTime desc", internal_id="{id}-{modifiedTime}"),
)
