"""Files as steps see them, and what a file system offers: that of this computer, or the one of the demo."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Protocol

from patchbay.domain.base import JsonObject
from patchbay.integration.local_files.paths import AllowedPath, NamePattern

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799
"""The years 1 and 9999. File systems can store any time, and every program can set it."""


class WriteMode(StrEnum):
    """What to do if the file exists."""

    CREATE = "create"
    """Fail."""
    REPLACE = "replace"
    """Replace it. Programs that read it see the old or the new content, never a part."""
    APPEND = "append"
    """Write after its end."""


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file or folder. `parts` are its names below the folder that was listed."""

    path: str
    parts: tuple[str, ...]
    size: int
    modified_ns: int
    is_folder: bool = False

    @property
    def name(self) -> str:
        """Its name without folders."""
        return self.parts[-1]

    @property
    def key(self) -> str:
        """Its path below the folder that was listed, the same on every system."""
        return "/".join(self.parts)

    def wire(self) -> JsonObject:
        """The file as step data."""
        stem, dot, extension = self.name.rpartition(".")
        seconds = min(max(self.modified_ns // 1_000_000_000, _FIRST_SECOND), _LAST_SECOND)
        moment = _EPOCH + timedelta(seconds=seconds)
        return {
            "path": self.path,
            "name": self.name,
            "folder": self.path.removesuffix(self.name).rstrip("/\\"),
            "extension": extension.lower() if stem and dot and not self.is_folder else "",
            "size": self.size,
            "modifiedAt": moment.isoformat().replace("+00:00", "Z"),
        }


def entry_of(
    path: str, status: os.stat_result, parts: tuple[str, ...] = (), *, is_folder: bool = False
) -> FileEntry:
    """The file or folder with this status."""
    size = 0 if is_folder else status.st_size
    return FileEntry(path, parts or (os.path.basename(path),), size, status.st_mtime_ns, is_folder)


@dataclass(frozen=True, slots=True)
class Listing:
    """The files in a folder. `device` identifies its disk, as long as that is connected."""

    entries: tuple[FileEntry, ...]
    device: int = 0
    unreadable: frozenset[str] = frozenset()
    """The keys of sub-folders whose files aren't known, because they can't be opened."""


@dataclass(frozen=True, slots=True)
class DeletedFile:
    """A file that was deleted. `trash_path` is where it is now; empty if it's gone."""

    entry: FileEntry
    trash_path: str = ""


class FileSystem(Protocol):
    """Operations on files. They block, and raise `AppError`s."""

    def allowed_folders(self) -> Sequence[str]:
        """The folders that steps can use."""
        ...

    def own_folders(self) -> Sequence[str]:
        """Patchbay's own folders. Raises `NotSupported` if the files aren't on a disk of this computer."""
        ...

    def find(self, path: AllowedPath) -> FileEntry:
        """A regular file. Raises `NotFound` if there is none."""
        ...

    def require_folder(self, path: AllowedPath) -> None:
        """Raise an error if this isn't a folder that is reached without links."""
        ...

    def read(self, path: AllowedPath, max_bytes: int) -> tuple[FileEntry, bytes]:
        """A regular file and its content. Raises `ValidationFailed` if it is larger than `max_bytes`."""
        ...

    def write(
        self, path: AllowedPath, content: bytes, mode: WriteMode, unless_changed: FileEntry | None = None
    ) -> FileEntry:
        """Write a file, after missing folders. Raises `Conflict` if it isn't `unless_changed` any more."""
        ...

    def move(self, source: AllowedPath, target: AllowedPath, *, replace: bool) -> FileEntry:
        """Move or rename a file."""
        ...

    def copy(self, source: AllowedPath, target: AllowedPath, *, replace: bool) -> FileEntry:
        """Copy a file."""
        ...

    def delete(self, path: AllowedPath, *, trash_name: str) -> DeletedFile:
        """Move a file to the trash folder under this name, or delete it if that is empty."""
        ...

    def listing(
        self, folder: AllowedPath, pattern: NamePattern, *, subfolders: bool, folders: bool
    ) -> Listing:
        """The files in a folder whose names match, and its folders if `folders`."""
        ...
