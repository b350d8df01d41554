"""Folders for dropdowns."""

from patchbay.integration import option_list
from patchbay.integration.google import DRIVE_FILES, DRIVE_PAGES, FOLDER_TYPE, drive_query, files_of_type

list_folders = option_list(
    "listFolders",
    DRIVE_FILES,
    at="files",
    query=drive_query(files_of_type(FOLDER_TYPE)),
    pages=DRIVE_PAGES,
    absent_if_empty=True,
)
