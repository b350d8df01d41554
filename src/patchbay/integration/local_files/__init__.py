"""Files of this computer, below the folders that an admin allows. The only place where steps open files.

`ctx.files` is a `FileAccess`. It decides for every access again: a path is compared with the allowed folders
(`paths`), then opened one folder after another from the top of the file system, without following links
(`folders`), and what was opened is checked, not its name (`files`, `protected`).
"""

from patchbay.integration.local_files.access import FileAccess
from patchbay.integration.local_files.files import LocalFiles, find_disk_problem
from patchbay.integration.local_files.model import (
    DeletedFile,
    FileEntry,
    FileSystem,
    Listing,
    WriteMode,
)
from patchbay.integration.local_files.paths import AllowedPath, NamePattern, find_folder_problem

__all__ = [
    "AllowedPath",
    "DeletedFile",
    "FileAccess",
    "FileEntry",
    "FileSystem",
    "Listing",
    "LocalFiles",
    "NamePattern",
    "WriteMode",
    "find_disk_problem",
    "find_folder_problem",
]
