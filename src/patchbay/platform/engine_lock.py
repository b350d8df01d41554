"""The engine lock: one engine per data folder; and how other programs find the server that runs it.

`EngineLock` holds a lock file, and a lock on the database file itself, which can't be deleted. The latter
must not interfere with SQLite's own POSIX locks: the system drops all POSIX locks of a process on a file as
soon as the process closes any descriptor of it. So a `DatabaseFileLock` is acquired before SQLite opens the
file and released after SQLite has closed it, and never acquired twice on a file within one process.

- Linux: an open-file-description lock on one byte of the file's lock page that SQLite never uses.
- macOS and others without those: `flock` on the folder, since there `flock` on the file would block SQLite.
- Windows: a byte-range lock on the same byte.

All of them belong to the file or folder, not to its name, so renaming or deleting it doesn't release them.
The system releases them however the process ends.
"""

import contextlib
import errno
import json
import logging
import os
import struct
import sys
import threading
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from filelock import FileLock, Timeout

from patchbay.domain.errors import StorageFault
from patchbay.domain.file_moves import delete_file
from patchbay.domain.small_files import read_json_object
from patchbay.platform.paths import AppPaths, write_private

log = logging.getLogger("engine-lock")

LOCK_BYTE = 0x40000000 + 1024
"""In the page at 1 GB that SQLite reserves for locks, after the 512 bytes that it uses."""

_LOCKED_BY_OTHERS = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}
_UNSUPPORTED = {errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF}
"""Errors of file systems without such locks, such as some network drives."""

_locked_files: set[tuple[int, int]] = set()
_mutex = threading.Lock()


class DatabaseFileLock:
    """An exclusive lock on a database file; see the module for how it works."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._descriptor: int | None = None
        self._key = (0, 0)
        self._created = False

    @property
    def created(self) -> bool:
        """Whether there was no file before it was locked."""
        return self._created

    def acquire(self) -> bool:
        """Lock the file, creating an empty one if necessary. False if another engine holds the lock."""
        with _mutex:
            if self._descriptor is not None:
                return True
            self._created = not self._database.exists()
            if not self._created and _identity(self._database.stat()) in _locked_files:
                return False
            self._descriptor = _locked_descriptor(self._database)
            if self._descriptor is None:
                return False
            self._key = _identity(self._database.stat())
            _locked_files.add(self._key)
            return True

    def release(self) -> None:
        """Release the lock, after SQLite has closed the file.

        Deletes the file if `acquire` created it and it is empty.
        """
        with _mutex:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None
                _locked_files.discard(self._key)
                if self._created:
                    with contextlib.suppress(OSError):
                        if not self._database.stat().st_size:
                            self._database.unlink()


def _identity(file_stat: os.stat_result) -> tuple[int, int]:
    return file_stat.st_dev, file_stat.st_ino


def _locked_descriptor(database: Path) -> int | None:
    """Return an open descriptor that holds the lock; None if another process holds it."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(database, flags, 0o600)
        if sys.platform not in ("win32", "linux"):
            os.close(descriptor)  # the file exists now; what is locked is its folder
            descriptor = os.open(database.parent, os.O_RDONLY)
    except OSError as error:
        raise file_fault(database, error) from error
    try:
        if sys.platform == "win32":
            locked = _lock_on_windows(descriptor)
        elif sys.platform == "linux":
            locked = _lock_on_linux(descriptor)
        else:
            locked = _lock_folder(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    if locked:
        return descriptor
    os.close(descriptor)
    return None


if sys.platform == "win32":
    import msvcrt

    def _lock_on_windows(descriptor: int) -> bool:
        os.lseek(descriptor, LOCK_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            return _is_locked_despite(error)
        return True

else:
    import fcntl

    def _lock_on_linux(descriptor: int) -> bool:
        # struct flock: type, whence, start, length, pid; the process id must be 0 for these locks.
        wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, LOCK_BYTE, 1, 0)
        if struct.calcsize("P") != 8:
            return True  # the layout differs on 32-bit systems, where the lock file must do
        try:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, wanted)
        except OSError as error:
            return _is_locked_despite(error)
        return True

    def _lock_folder(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return _is_locked_despite(error)
        return True


def _is_locked_despite(error: OSError) -> bool:
    """False if another process holds the lock; True if the file system has no such locks.

    Raises other errors.
    """
    if error.errno in _LOCKED_BY_OTHERS:
        return False
    if error.errno in _UNSUPPORTED:
        return True
    raise error


def file_fault(path: Path, error: OSError) -> StorageFault:
    """The error for a file in the data folder that can't be created or written."""
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return StorageFault(
            f"The data folder {path.parent} can't be written ({error.strerror}).",
            meaning="Patchbay keeps its database there and can't run flows without writing to it.",
            todo="Make the folder writable for this user, or choose another with --data-dir.",
        )
    return StorageFault(
        f"{path} can't be opened ({error.strerror}).",
        meaning="Nothing was changed.",
        todo="Check the disk and the folder, or choose another with --data-dir.",
    )


class EngineLock:
    """The lock of the process that runs the engine. The system releases it however the process ends.

    The lock on the database still holds if the lock file is deleted, the folder is renamed, or two folders
    share one database.
    """

    def __init__(self, path: Path, database: Path | None) -> None:
        """`database` is None if it isn't a file."""
        self._path = path
        self._lock = FileLock(path, thread_local=False)
        self._database = None if database is None else DatabaseFileLock(database)

    def acquire(self) -> bool:
        """Acquire the lock; False if another process holds it.

        Raises `StorageFault` if the folder can't be written.
        """
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            return False
        except OSError as error:
            raise file_fault(self._path, error) from error
        try:
            locked = self.acquire_database()
        except BaseException:
            self._lock.release()
            raise
        if not locked:
            self._lock.release()
        return locked

    @property
    def created_database(self) -> bool:
        """Whether there was no database before it was locked."""
        return self._database is not None and self._database.created

    def acquire_database(self) -> bool:
        """Lock the database file again after `release_database`."""
        return self._database is None or self._database.acquire()

    def release_database(self) -> None:
        """Unlock only the database file, to replace it. The lock file still keeps other engines out."""
        if self._database is not None:
            self._database.release()

    def release(self) -> None:
        """Release the lock. The database must be closed."""
        self.release_database()
        self._lock.release()


class EngineRole(StrEnum):
    """The kind of program that runs the engine of a data folder."""

    SERVICE = "service"
    """`patchbay serve`, which a supervisor may restart."""
    WINDOW = "window"
    """A window, or another command."""


@dataclass(frozen=True)
class Attachment:
    """The address of the running server, and the API key for this user's programs."""

    address: str
    token: str
    pid: int
    role: EngineRole = EngineRole.SERVICE

    def __repr__(self) -> str:
        return f"Attachment(address={self.address!r}, pid={self.pid})"


def announce_service(
    paths: AppPaths, address: str, token: str, *, role: EngineRole = EngineRole.SERVICE
) -> None:
    """Announce the server to this user's other programs, in a file that other users can't read."""
    announcement = {"address": address, "token": token, "pid": os.getpid(), "role": role}
    write_private(paths.attachment_file, json.dumps(announcement))


def withdraw_announcement(paths: AppPaths) -> None:
    """Delete the file that tells other programs where the engine listens.

    A file that can't be deleted does no harm: no program responds at its address.
    """
    try:
        delete_file(paths.attachment_file)
    except OSError as error:
        log.warning("%s couldn't be deleted: %s", paths.attachment_file.name, error)


def find_attachment(paths: AppPaths) -> Attachment | None:
    """The server that holds the lock; None if its announcement is missing or unreadable."""
    try:
        announcement = read_json_object(paths.attachment_file)
        role = EngineRole(announcement.get("role", EngineRole.SERVICE))
    except (OSError, ValueError):
        return None
    address, token, pid = (announcement.get(name) for name in ("address", "token", "pid"))
    if isinstance(address, str) and isinstance(token, str) and isinstance(pid, int):
        return Attachment(address, token, pid, role)
    return None
