"""The files of this computer, for steps: opens what a path leads to, and checks what was opened."""

import errno
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from patchbay.domain.errors import AppError, Conflict, NotFound, ValidationFailed
from patchbay.integration.local_files import folders
from patchbay.integration.local_files.errors import (
    link_error,
    not_a_file_error,
    not_confined_error,
    own_data_below_error,
    own_data_error,
    slow_error,
    translate_errors,
)
from patchbay.integration.local_files.folders import OpenFolder, is_link
from patchbay.integration.local_files.model import DeletedFile, FileEntry, Listing, WriteMode, entry_of
from patchbay.integration.local_files.paths import (
    MAX_NAME_BYTES,
    OWN_PREFIX,
    AllowedPath,
    NamePattern,
    split_folder,
)
from patchbay.integration.local_files.protected import Protected
from patchbay.integration.local_files.walk import Walk

MAX_FILE_BYTES = 1 << 30
"""Largest file that is copied, or that grows by appending."""
MIN_FREE_BYTES = 100 << 20
"""Free space that writing leaves on a disk."""
MIN_FREE_FILES = 1_000
"""Files and folders that a disk can still have after a step has created one."""
MAX_SECONDS = 100.0
"""How long copying can take."""
TRASH = f"{OWN_PREFIX}trash"
_CHUNK = 1 << 20

Fill = Callable[[int], None]
"""Writes the content of a new file to a descriptor."""


class LocalFiles:
    """Implements `FileSystem`. `allowed` returns the allowed folders; steps never get at `own_folders`."""

    def __init__(
        self,
        allowed: Callable[[], Sequence[str]],
        own_folders: Sequence[Path] = (),
        open_top: Callable[[str], OpenFolder] = folders.open_top,
    ) -> None:
        self._allowed = allowed
        self._own_folders = tuple(own_folders)
        self._open_top = open_top

    def allowed_folders(self) -> Sequence[str]:
        return self._allowed()

    def own_folders(self) -> Sequence[str]:
        return [*map(str, self._own_folders)]

    # Reading

    def read(self, path: AllowedPath, max_bytes: int) -> tuple[FileEntry, bytes]:
        with (
            translate_errors(path),
            self._folder(path.folder) as folder,
            self._file(folder, path, os.O_RDONLY) as descriptor,
        ):
            size, content = os.fstat(descriptor).st_size, b""
            if size <= max_bytes:
                content = _read_up_to(descriptor, max_bytes + 1)
            if max(size, len(content)) > max_bytes:
                raise _size_error(path, max(size, len(content)), max_bytes)
            return entry_of(str(path), os.fstat(descriptor)), content

    def listing(
        self, folder: AllowedPath, pattern: NamePattern, *, subfolders: bool, folders: bool
    ) -> Listing:
        with translate_errors(folder), self._folder(folder) as opened:
            walk = Walk(self._protected(), pattern, subfolders=subfolders, folders=folders)
            walk.run(opened, folder)
            return Listing(tuple(walk.found), opened.status.st_dev, frozenset(walk.unreadable))

    # Writing

    def write(
        self, path: AllowedPath, content: bytes, mode: WriteMode, unless_changed: FileEntry | None = None
    ) -> FileEntry:
        with translate_errors(path), self._folder(path.folder, create_for=len(content)) as folder:
            current = self._find(folder, path)
            if unless_changed is not None:
                _require_unchanged(path, current, unless_changed)
            _require_space(folder, path, len(content))
            if mode is WriteMode.APPEND and current is not None:
                return self._append(folder, path, content)
            replaces = mode is WriteMode.REPLACE
            return _put(folder, path, current, lambda new: _write_all(new, content), replaces=replaces)

    def _append(self, folder: OpenFolder, path: AllowedPath, content: bytes) -> FileEntry:
        with self._file(folder, path, os.O_WRONLY | os.O_APPEND) as descriptor:
            before = os.fstat(descriptor).st_size
            if before + len(content) > MAX_FILE_BYTES:
                raise _size_error(path, before + len(content), MAX_FILE_BYTES)
            try:
                _write_all(descriptor, content)
                os.fsync(descriptor)
            except OSError:
                if before < os.fstat(descriptor).st_size < before + len(content):
                    os.ftruncate(descriptor, before)
                raise
            return entry_of(str(path), os.fstat(descriptor))

    def find(self, path: AllowedPath) -> FileEntry:
        with translate_errors(path), self._folder(path.folder) as folder:
            return entry_of(str(path), self._require_file(folder, path))

    def require_folder(self, path: AllowedPath) -> None:
        with translate_errors(path), self._folder(path):
            return

    def copy(self, source: AllowedPath, target: AllowedPath, *, replace: bool) -> FileEntry:
        with (
            translate_errors(source),
            self._folder(source.folder) as folder,
            self._file(folder, source, os.O_RDONLY) as read_from,
        ):
            size = os.fstat(read_from).st_size
            if size > MAX_FILE_BYTES:
                raise _size_error(source, size, MAX_FILE_BYTES)
            with translate_errors(target), self._folder(target.folder, create_for=size) as into:
                return self._copy(read_from, into, target, replace=replace)

    def _copy(self, read_from: int, into: OpenFolder, target: AllowedPath, *, replace: bool) -> FileEntry:
        source = os.fstat(read_from)
        _require_space(into, target, source.st_size)
        current = self._find(into, target)
        if current is not None and os.path.samestat(current, source):
            raise Conflict("Source and target are the same file.", meaning="Nothing was changed.")
        ends_at = time.monotonic() + MAX_SECONDS

        def fill(new: int) -> None:
            copied = 0
            while chunk := os.read(read_from, _CHUNK):
                copied += len(chunk)
                if copied > MAX_FILE_BYTES:
                    raise _size_error(target, copied, MAX_FILE_BYTES)
                if time.monotonic() > ends_at:
                    raise slow_error(target)
                _require_space(into, target, len(chunk))  # others write at the same time
                _write_all(new, chunk)

        return _put(into, target, current, fill, replaces=replace)

    def move(self, source: AllowedPath, target: AllowedPath, *, replace: bool) -> FileEntry:
        with translate_errors(source), self._folder(source.folder) as folder:
            moved = self._require_file(folder, source)
            with translate_errors(target), self._folder(target.folder, create_for=0) as into:
                current = self._find(into, target)
                is_same = current is not None and os.path.samestat(current, moved)  # or in upper case
                try:
                    _give_name(folder, source.name, into, target.name, replaces=replace or is_same)
                except OSError as error:
                    if error.errno != errno.EXDEV:
                        raise
                    return self._move_to_disk(folder, source, into, target, replace=replace)
                return entry_of(str(target), self._require_file(into, target))

    def _move_to_disk(
        self, folder: OpenFolder, source: AllowedPath, into: OpenFolder, target: AllowedPath, *, replace: bool
    ) -> FileEntry:
        """Copy a file to another disk, and delete it. If that fails, the copy is deleted."""
        with self._file(folder, source, os.O_RDONLY) as read_from:
            before = os.fstat(read_from)
            copied = self._copy(read_from, into, target, replace=replace)
        try:
            with translate_errors(source):
                _require_unchanged(source, folder.find(source.name), entry_of(str(source), before))
                folder.delete(source.name)
        except AppError as error:
            if replace:
                happened = f"“{str(source)[:200]}” was copied, but couldn't be deleted: {error.happened}"
                raise AppError(happened, meaning="It's in both folders.", todo=error.todo) from error
            into.delete(target.name)
            raise
        return copied

    def delete(self, path: AllowedPath, *, trash_name: str) -> DeletedFile:
        with translate_errors(path), self._folder(path.folder) as folder:
            deleted = entry_of(str(path), self._require_file(folder, path))
            if not trash_name:
                folder.delete(path.name)
                return DeletedFile(deleted)
            kept = AllowedPath(path.root, (TRASH, _short_name(f"{trash_name}-{path.name}")))
            with self._folder(kept.folder, create_for=0) as trash:
                folder.move_new(path.name, trash, kept.name)
            return DeletedFile(deleted, str(kept))

    @contextmanager
    def confined(
        self, path: AllowedPath, companions: Sequence[str], *, space: int | None
    ) -> Iterator[os.stat_result]:
        """Restrict this process for good to the folder of a file, for a library that opens it by its path.

        Yields the file's status. `companions` are the endings of other files that the library opens, and
        `space` is how many bytes it writes; None if it only reads. Only for processes of their own. Raises
        `Forbidden` for writing if the library could reach more than the folder, or Patchbay's data in it.
        """
        with translate_errors(path), self._folder(path.folder) as folder:
            status = self._require_file(folder, path)
            for ending in companions:
                self._find(folder, path.folder.child(path.name + ending))
            if space is not None:
                _require_space(folder, path, space)
                if self._protected().is_below(folder.status):
                    raise own_data_below_error(path)
            if not folder.confine() and space is not None:
                raise not_confined_error(path)
            yield status

    def read_end(self, path: AllowedPath, size: int) -> bytes:
        """The last bytes of a file; none if there is no such file."""
        with translate_errors(path), self._folder(path.folder) as folder:
            if self._find(folder, path) is None:
                return b""
            with self._file(folder, path, os.O_RDONLY) as descriptor:
                os.lseek(descriptor, max(0, os.fstat(descriptor).st_size - size), os.SEEK_SET)
                return _read_up_to(descriptor, size)

    # Opening

    @contextmanager
    def _folder(self, path: AllowedPath, *, create_for: int | None = None) -> Iterator[OpenFolder]:
        """The folder, opened one name after another from the top of the file system.

        With `create_for`, missing folders below the allowed one are created, if there is space for that many
        bytes. Raises `Forbidden` for links and what is protected.
        """
        protected = self._protected()
        anchor, around = split_folder(path.root)
        opened = self._open_top(anchor)
        try:
            for number, name in enumerate((*around, *path.parts)):
                if create_for is not None and number >= len(around) and opened.find(name) is None:
                    _require_space(opened, path, create_for)
                    opened.create_folder(name)
                inside = _enter(opened, name, path)
                opened.close()
                opened = inside
                if opened.status in protected:
                    raise own_data_error(path)
            yield opened
        finally:
            opened.close()

    @contextmanager
    def _file(self, folder: OpenFolder, path: AllowedPath, flags: int) -> Iterator[int]:
        """A descriptor of the regular file with this name. Raises `Forbidden` for anything else."""
        self._require_file(folder, path)
        descriptor = folder.open(path.name, flags)
        try:
            # It may have been replaced since.
            self._protected().require_usable(path, os.fstat(descriptor))
            yield descriptor
        finally:
            os.close(descriptor)

    def _find(self, folder: OpenFolder, path: AllowedPath) -> os.stat_result | None:
        """The status of a regular file; None if there is nothing."""
        if not path.parts:
            raise not_a_file_error(path, is_folder=True)
        status = folder.find(path.name)
        if status is not None:
            self._protected().require_usable(path, status)
        return status

    def _require_file(self, folder: OpenFolder, path: AllowedPath) -> os.stat_result:
        status = self._find(folder, path)
        if status is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return status

    def _protected(self) -> Protected:
        return Protected(self._own_folders)


def find_disk_problem(folder: str) -> str:
    """Why a folder can't be used as it is on the disk, as a sentence: a link in its path, or no folder."""
    path, parts = split_folder(folder)
    for name in parts:
        path = os.path.join(path, name)
        with suppress(OSError):
            if is_link(os.lstat(path)):
                leads_to = os.path.realpath(folder)
                return f"“{path[:200]}” is a symbolic link. Allow “{leads_to[:200]}” instead."
    if not os.path.isdir(folder):
        return f"There is no folder “{folder[:200]}” on the computer that runs the flows. Create it first."
    return ""


def _enter(folder: OpenFolder, name: str, path: AllowedPath) -> OpenFolder:
    status = folder.find(name)
    if status is not None and is_link(status):
        raise link_error(path)
    if status is not None and not stat.S_ISDIR(status.st_mode):
        raise NotFound(f"“{str(path)[:200]}” doesn't exist: “{name}” isn't a folder.")
    return folder.enter(name)


def _put(
    folder: OpenFolder, path: AllowedPath, current: os.stat_result | None, fill: Fill, *, replaces: bool
) -> FileEntry:
    """Write a new file under a temporary name, then give it its own, so that no program sees a part of it.

    It gets the permissions of the `current` one. Raises `FileExistsError` if there is one, unless `replaces`.
    """
    if current is not None and not replaces:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    name = f"{OWN_PREFIX}{secrets.token_hex(8)}.tmp"
    with open(folder.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb", buffering=0) as new:
        try:
            if current is not None and hasattr(os, "fchmod"):
                os.fchmod(new.fileno(), stat.S_IMODE(current.st_mode) & 0o777)
            fill(new.fileno())
            os.fsync(new.fileno())
            entry = entry_of(str(path), os.fstat(new.fileno()))
            new.close()
            _give_name(folder, name, folder, path.name, replaces=replaces)
        except BaseException:
            new.close()
            with suppress(OSError):
                folder.delete(name)
            raise
    return entry


def _give_name(folder: OpenFolder, name: str, into: OpenFolder, new_name: str, *, replaces: bool) -> None:
    (folder.replace if replaces else folder.move_new)(name, into, new_name)


def _read_up_to(descriptor: int, most: int) -> bytes:
    content = bytearray()
    while len(content) < most and (chunk := os.read(descriptor, min(_CHUNK, most - len(content)))):
        content += chunk
    return bytes(content)


def _write_all(descriptor: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]


def _require_unchanged(path: AllowedPath, current: os.stat_result | None, expected: FileEntry) -> None:
    if current is None or (current.st_mtime_ns, current.st_size) != (expected.modified_ns, expected.size):
        raise Conflict(
            f"“{str(path)[:200]}” was changed by another program meanwhile.",
            meaning="Nothing was written.",
            todo="Run the step again.",
        )


def _require_space(folder: OpenFolder, path: AllowedPath, size: int) -> None:
    free, files = folder.free_space()
    if free - size < MIN_FREE_BYTES or (files is not None and files < MIN_FREE_FILES):
        raise AppError(
            f"The disk of “{str(path)[:200]}” is almost full.",
            meaning=f"Nothing was written: {MIN_FREE_BYTES >> 20} MB are kept free.",
            todo="Free space on it.",
        )


def _short_name(name: str) -> str:
    return name.encode()[:MAX_NAME_BYTES].decode("utf-8", "ignore")


def _size_error(path: AllowedPath, size: int, most: int) -> ValidationFailed:
    happened = (
        f"“{str(path)[:200]}” is too large: {size / (1 << 20):,.1f} MB. The limit is {most >> 20:,} MB."
    )
    return ValidationFailed({"path": [happened]}, happened=happened)
