"""Open folders. Everything is reached one name at a time from an open folder, and no link is followed.

On POSIX, a folder is a file descriptor: whatever happens to its path, the names in it are those of the folder
that was checked. Windows has no such calls, so a path is checked before and after each use.
"""

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from typing import Protocol, Self

from patchbay.integration.local_files.landlock import confine_to

Identity = tuple[int, int]

_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
"""Opening a pipe must not wait for its other end, and a terminal must not become ours."""
_READABLE_FOLDER = os.O_RDONLY | _CLOEXEC | _NO_LINK | getattr(os, "O_DIRECTORY", 0)
_FOLDER = _READABLE_FOLDER | getattr(os, "O_PATH", 0)
"""On Linux, a folder on the way can be entered without the permission to list it."""
FILE_FLAGS = _CLOEXEC | _NO_LINK | _NO_WAIT | getattr(os, "O_BINARY", 0)
_NO_HARD_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
_LINK_TAG = 0x2000_0000
"""The bit of a reparse tag that says that it leads elsewhere, unlike those of OneDrive and other storage."""


def identity_of(status: os.stat_result) -> Identity:
    """What identifies a file or folder, whatever its name is."""
    return status.st_dev, status.st_ino


def is_link(status: os.stat_result) -> bool:
    """Whether it is a symbolic link, or on Windows a junction or the like."""
    return stat.S_ISLNK(status.st_mode) or bool(getattr(status, "st_reparse_tag", 0) & _LINK_TAG)


class OpenFolder(Protocol):
    """A folder that is open. Names are those of its entries, without folders. Raises `OSError`s."""

    @property
    def status(self) -> os.stat_result:
        """The folder's own status."""
        ...

    def free_space(self) -> tuple[int, int | None]:
        """The free bytes on its disk, and how many files it can still have; None if that isn't limited."""
        ...

    def enter(self, name: str) -> "OpenFolder":
        """Open a folder in it. Raises for a link."""
        ...

    def create_folder(self, name: str) -> None:
        """Create a folder in it, if there is none."""
        ...

    def find(self, name: str) -> os.stat_result | None:
        """The status of an entry, of a link itself; None if there is none."""
        ...

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """A descriptor of a file in it. Raises for a link, and doesn't wait for pipes."""
        ...

    def entries(self) -> Iterator[tuple[str, os.stat_result]]:
        """The names of its entries, with their status."""
        ...

    def replace(self, name: str, target: Self, new_name: str) -> None:
        """Move an entry to a folder, in place of what has the name there."""
        ...

    def move_new(self, name: str, target: Self, new_name: str) -> None:
        """Move an entry to a folder. Raises `FileExistsError` if the name is taken there."""
        ...

    def delete(self, name: str) -> None:
        """Delete a file, or a link itself."""
        ...

    def confine(self) -> bool:
        """Restrict this process to files in the folder for good. False where the system can't do that."""
        ...

    def close(self) -> None:
        """Close the folder."""
        ...


class DescriptorFolder:
    """A folder by its file descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def open_top(cls, path: str) -> "DescriptorFolder":
        """Open the top of the file system."""
        return cls(os.open(path, _FOLDER))

    @property
    def status(self) -> os.stat_result:
        return os.fstat(self._descriptor)

    def free_space(self) -> tuple[int, int | None]:
        found = os.fstatvfs(self._descriptor)
        return found.f_bavail * found.f_frsize, found.f_favail if found.f_files else None

    def enter(self, name: str) -> "DescriptorFolder":
        return DescriptorFolder(os.open(name, _FOLDER, dir_fd=self._descriptor))

    def create_folder(self, name: str) -> None:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=self._descriptor)

    def find(self, name: str) -> os.stat_result | None:
        try:
            return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        return os.open(name, flags | FILE_FLAGS, mode, dir_fd=self._descriptor)

    def entries(self) -> Iterator[tuple[str, os.stat_result]]:
        descriptor = os.open(".", _READABLE_FOLDER, dir_fd=self._descriptor)
        try:
            with os.scandir(descriptor) as found:
                for entry in found:
                    with suppress(FileNotFoundError):
                        yield entry.name, entry.stat(follow_symlinks=False)
        finally:
            os.close(descriptor)

    def replace(self, name: str, target: Self, new_name: str) -> None:
        os.replace(name, new_name, src_dir_fd=self._descriptor, dst_dir_fd=target._descriptor)

    def move_new(self, name: str, target: Self, new_name: str) -> None:
        """Move without replacing anything, even if the name is taken at the last moment."""
        try:
            os.link(
                name,
                new_name,
                src_dir_fd=self._descriptor,
                dst_dir_fd=target._descriptor,
                follow_symlinks=False,
            )
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            if target.find(new_name) is not None:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from error
            self.replace(name, target, new_name)
            return
        try:
            self.delete(name)
        except OSError:
            with suppress(OSError):
                target.delete(new_name)
            raise

    def delete(self, name: str) -> None:
        os.unlink(name, dir_fd=self._descriptor)

    def confine(self) -> bool:
        return confine_to(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)


class CheckedFolder:
    """A folder by its path, for Windows. Each use checks that the path still leads to the same folders."""

    def __init__(self, path: str, chain: tuple[tuple[str, Identity], ...]) -> None:
        self._path = path
        self._chain = chain

    @classmethod
    def open_top(cls, path: str) -> "CheckedFolder":
        """Open the top folder of a drive or of a network share."""
        return cls(path, ((path, identity_of(os.lstat(path))),))

    @property
    def status(self) -> os.stat_result:
        self._check()
        return os.lstat(self._path)

    def free_space(self) -> tuple[int, int | None]:
        return shutil.disk_usage(self._path).free, None

    def enter(self, name: str) -> "CheckedFolder":
        self._check()
        path = os.path.join(self._path, name)
        status = os.lstat(path)
        if is_link(status) or not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        return CheckedFolder(path, (*self._chain, (path, identity_of(status))))

    def create_folder(self, name: str) -> None:
        self._check()
        with suppress(FileExistsError):
            os.mkdir(os.path.join(self._path, name))

    def find(self, name: str) -> os.stat_result | None:
        self._check()
        try:
            return os.lstat(os.path.join(self._path, name))
        except FileNotFoundError:
            return None

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        self._check()
        path = os.path.join(self._path, name)
        descriptor = os.open(path, flags | FILE_FLAGS, mode)
        try:
            self._check()
            listed = os.lstat(path)
            if is_link(listed) or not os.path.samestat(listed, os.fstat(descriptor)):
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def entries(self) -> Iterator[tuple[str, os.stat_result]]:
        self._check()
        for name in os.listdir(self._path):
            with suppress(FileNotFoundError):
                yield name, os.lstat(os.path.join(self._path, name))
        self._check()

    def replace(self, name: str, target: Self, new_name: str) -> None:
        self._check()
        target._check()
        os.replace(os.path.join(self._path, name), os.path.join(target._path, new_name))

    def move_new(self, name: str, target: Self, new_name: str) -> None:
        if target.find(new_name) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        self._check()
        os.rename(os.path.join(self._path, name), os.path.join(target._path, new_name))

    def delete(self, name: str) -> None:
        self._check()
        os.unlink(os.path.join(self._path, name))

    def confine(self) -> bool:
        return False  # not possible by a path

    def close(self) -> None:
        """Nothing is open."""

    def _check(self) -> None:
        """Raise `OSError` if a folder on the way was replaced."""
        for path, identity in self._chain:
            status = os.lstat(path)
            if is_link(status) or identity_of(status) != identity:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def open_top(path: str) -> OpenFolder:
    """Open the top of a file system, in the way of this system."""
    if os.open in os.supports_dir_fd and os.scandir in os.supports_fd:
        return DescriptorFolder.open_top(path)
    return CheckedFolder.open_top(path)
