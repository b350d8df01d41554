"""The folder for the sockets of this user's programs, and what a window of a data folder locks there."""

import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path

from filelock import FileLock, Timeout

from patchbay.domain.errors import StorageFault
from patchbay.platform.paths import AppPaths

_NAME = "patchbay"


def runtime_folder() -> Path:
    """The folder, created without access for other users. Raises `StorageFault` if another user could use it.

    Linux: in `XDG_RUNTIME_DIR`. Otherwise in the folder for temporary files.
    """
    base = os.environ.get("XDG_RUNTIME_DIR")
    if base and Path(base).is_dir():
        folder = Path(base) / _NAME
    elif sys.platform == "win32":
        folder = Path(tempfile.gettempdir()) / _NAME
    else:
        folder = Path(tempfile.gettempdir()) / f"{_NAME}-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        _require_private(folder)
    except OSError as error:
        raise _unusable(folder, error.strerror or str(error)) from error
    return folder


class WindowLock:
    """Held by the window that further starts with the same data folder bring to the front.

    The system releases it however the process ends.
    """

    def __init__(self, paths: AppPaths) -> None:
        folder = runtime_folder()
        key = hashlib.sha256(os.fsencode(os.path.realpath(paths.data))).hexdigest()[:16]
        self.socket = f"{_NAME}-{key}" if sys.platform == "win32" else str(folder / f"{key}.sock")
        """Where that window listens: a path, or on Windows the name of a pipe."""
        self._lock = FileLock(folder / f"{key}.lock", thread_local=False)

    def acquire(self) -> bool:
        """Acquire the lock; False if another window holds it. Raises `StorageFault`."""
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            return False
        except OSError as error:
            raise _unusable(Path(self._lock.lock_file), error.strerror or str(error)) from error
        return True

    @property
    def is_locked(self) -> bool:
        """Whether this process holds the lock."""
        return self._lock.is_locked

    def release(self) -> None:
        """Release the lock."""
        self._lock.release()


def _require_private(folder: Path) -> None:
    """Raise `OSError` unless only this user can use the folder."""
    if sys.platform == "win32":
        return  # a folder of the user, whose access list isn't a matter of modes
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError(f"{folder} isn't a folder of this user")
    if found.st_mode & 0o077:
        folder.chmod(0o700)


def _unusable(path: Path, reason: str) -> StorageFault:
    return StorageFault(
        f"{path} can't be used ({reason}).",
        meaning="Patchbay can't tell whether a window is already open.",
        todo="Remove it, or set XDG_RUNTIME_DIR to a folder that only this user can use.",
    )
