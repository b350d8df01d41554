"""The demo's files, which are in memory: nothing on this computer is read or written."""

import threading
from collections.abc import Callable, Sequence

from patchbay.demo.blueprint import load_json
from patchbay.domain.base import EpochMs
from patchbay.domain.errors import Conflict, Forbidden, NotFound, NotSupported, ValidationFailed
from patchbay.integration.local_files import (
    AllowedPath,
    DeletedFile,
    FileEntry,
    Listing,
    NamePattern,
    WriteMode,
)

FOLDER = "/Demo"
_TRASH = ".patchbay-trash"
_MAX_FILES = 1_000
_MAX_BYTES = 10 << 20
_DAY_MS = 86_400_000

Parts = tuple[str, ...]


class DemoFiles:
    """Implements `FileSystem` with the sample files. What steps change is gone when the demo closes."""

    def __init__(self, clock: Callable[[], EpochMs]) -> None:
        self._clock = clock
        self._lock = threading.RLock()
        self._files: dict[Parts, tuple[bytes, int]] = {}
        for number, (name, text) in enumerate(sorted(load_json("files").items()), 1):
            modified = (clock() - number * _DAY_MS) * 1_000_000
            self._files[tuple(name.split("/"))] = (text.encode(), modified)

    def allowed_folders(self) -> Sequence[str]:
        return (FOLDER,)

    def own_folders(self) -> Sequence[str]:
        raise NotSupported("The demo's files can't be opened by other programs.", feature="files")

    def read(self, path: AllowedPath, max_bytes: int) -> tuple[FileEntry, bytes]:
        content, _ = self._find(path)
        if len(content) > max_bytes:
            raise ValidationFailed({"path": ["The file is too large."]})
        return self._entry(path), content

    def find(self, path: AllowedPath) -> FileEntry:
        self._find(path)
        return self._entry(path)

    def require_folder(self, path: AllowedPath) -> None:
        raise NotSupported("The demo runs no programs.", feature="programs")

    def write(
        self, path: AllowedPath, content: bytes, mode: WriteMode, unless_changed: FileEntry | None = None
    ) -> FileEntry:
        with self._lock:
            current = self._files.get(path.parts)
            if unless_changed is not None and (current is None or self._entry(path) != unless_changed):
                raise Conflict(f"“{path}” was changed meanwhile.")
            if mode is WriteMode.CREATE:
                self._require_free(path)
            if mode is WriteMode.APPEND and current is not None:
                content = current[0] + content
            self._put(path, content)
            return self._entry(path)

    def move(self, source: AllowedPath, target: AllowedPath, *, replace: bool) -> FileEntry:
        with self._lock:
            content = self._find(source)
            if source.parts != target.parts:
                self._put_new(target, content[0], replace=replace)
                del self._files[source.parts]
            return self._entry(target)

    def copy(self, source: AllowedPath, target: AllowedPath, *, replace: bool) -> FileEntry:
        with self._lock:
            self._put_new(target, self._find(source)[0], replace=replace)
            return self._entry(target)

    def delete(self, path: AllowedPath, *, trash_name: str) -> DeletedFile:
        with self._lock:
            self._find(path)
            deleted = self._entry(path)
            content = self._files.pop(path.parts)
            if not trash_name:
                return DeletedFile(deleted)
            kept = AllowedPath(path.root, (_TRASH, f"{trash_name}-{path.name}"))
            self._files[kept.parts] = content
            return DeletedFile(deleted, str(kept))

    def listing(
        self, folder: AllowedPath, pattern: NamePattern, *, subfolders: bool, folders: bool
    ) -> Listing:
        with self._lock:
            depth, found = len(folder.parts), dict[Parts, FileEntry]()
            inside = [parts for parts in self._files if parts[:depth] == folder.parts and len(parts) > depth]
            if not inside and folder.parts:
                raise NotFound(f"“{folder}” doesn't exist.", todo="Check the path.")
            for parts in sorted(inside):
                if parts[depth] == _TRASH:
                    continue
                for end in range(depth + 1, len(parts) + 1):
                    below = parts[depth:end]
                    is_folder = end < len(parts)
                    if (len(below) > 1 and not subfolders) or (is_folder and not folders):
                        continue
                    if pattern.matches(below[-1]):
                        content, modified = (b"", 0) if is_folder else self._files[parts]
                        path = str(folder.child(*below))
                        found[below] = FileEntry(path, below, len(content), modified, is_folder)
            return Listing(tuple(found.values()))

    def _find(self, path: AllowedPath) -> tuple[bytes, int]:
        found = self._files.get(path.parts)
        if found is None:
            raise NotFound(f"“{path}” doesn't exist.", todo="Choose one of the demo's files.")
        return found

    def _put_new(self, path: AllowedPath, content: bytes, *, replace: bool) -> None:
        if not replace:
            self._require_free(path)
        self._put(path, content)

    def _require_free(self, path: AllowedPath) -> None:
        if path.parts in self._files:
            raise Conflict(f"“{path}” already exists.", meaning="Nothing was changed.")

    def _put(self, path: AllowedPath, content: bytes) -> None:
        if not path.parts:
            raise Forbidden(f"“{path}” is a folder.")
        if len(self._files) >= _MAX_FILES or len(content) > _MAX_BYTES:
            raise Forbidden("The demo's memory for files is full.", todo="Reset the demo.")
        self._files[path.parts] = (content, self._clock() * 1_000_000)

    def _entry(self, path: AllowedPath) -> FileEntry:
        content, modified = self._find(path)
        return FileEntry(str(path), (path.name,), len(content), modified)
