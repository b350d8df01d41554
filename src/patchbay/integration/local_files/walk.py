"""Lists a folder and its sub-folders, within limits on their number, on the memory, and on the time."""

import os
import stat
import time
from collections.abc import Callable

from patchbay.domain.errors import ValidationFailed
from patchbay.integration.local_files.errors import slow_error
from patchbay.integration.local_files.folders import OpenFolder, is_link
from patchbay.integration.local_files.model import FileEntry, entry_of
from patchbay.integration.local_files.paths import AllowedPath, NamePattern, is_reserved
from patchbay.integration.local_files.protected import Protected

MAX_ENTRIES = 200_000
"""Entries of a folder, with its sub-folders, that are looked at."""
MAX_PATH_CHARACTERS = 64 << 20
"""Characters of all paths that are listed, which can each be thousands."""
MAX_DEPTH = 40
MAX_SECONDS = 100.0


class Walk:
    """The files of a folder whose names match, and its folders if `folders`."""

    def __init__(
        self,
        protected: Protected,
        pattern: NamePattern,
        *,
        subfolders: bool,
        folders: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._protected, self._pattern = protected, pattern
        self._subfolders, self._folders = subfolders, folders
        self._clock = clock
        self._ends_at = clock() + MAX_SECONDS
        self._looked_at = self._characters = 0
        self.found: list[FileEntry] = []
        self.unreadable: list[str] = []

    def run(self, folder: OpenFolder, path: AllowedPath, parts: tuple[str, ...] = ()) -> None:
        """Add what is in a folder. Raises `OSError`s of that folder itself."""
        inside: list[str] = []
        begin = os.path.join(str(path), "")
        for name, status in folder.entries():
            self._count(path)
            if is_reserved(name) or not _is_text(name) or is_link(status) or status in self._protected:
                continue
            is_folder = stat.S_ISDIR(status.st_mode)
            if is_folder:
                inside.append(name)
            if (self._folders if is_folder else stat.S_ISREG(status.st_mode)) and self._pattern.matches(name):
                entry = entry_of(begin + name, status, (*parts, name), is_folder=is_folder)
                self._characters += len(entry.path)
                self.found.append(entry)
        if self._subfolders:
            for name in sorted(inside):
                self._run_inside(folder, path.child(name), (*parts, name))

    def _count(self, path: AllowedPath) -> None:
        self._looked_at += 1
        if self._looked_at > MAX_ENTRIES:
            raise _too_large_error(path, f"has more than {MAX_ENTRIES:,} files")
        if self._characters > MAX_PATH_CHARACTERS:
            raise _too_large_error(path, "has too many files with long paths")
        if self._looked_at % 100 == 1 and self._clock() > self._ends_at:
            raise slow_error(path)

    def _run_inside(self, folder: OpenFolder, path: AllowedPath, parts: tuple[str, ...]) -> None:
        if len(parts) > MAX_DEPTH:
            self.unreadable.append("/".join(parts))
            return
        try:
            inside = folder.enter(path.name)
            try:
                if inside.status not in self._protected:
                    self.run(inside, path, parts)
            finally:
                inside.close()
        except OSError:  # no permission, gone, or on a drive that is
            self.unreadable.append("/".join(parts))


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _too_large_error(path: AllowedPath, problem: str) -> ValidationFailed:
    happened = f"“{str(path)[:200]}” {problem}."
    return ValidationFailed({"folder": [happened]}, happened=happened, todo="Choose one of its sub-folders.")
