"""One engine per data folder, and how others find the service that runs it."""

import json
import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from filelock import FileLock, Timeout

from patchbay.platform.file_lock import DatabaseFileLock, file_fault
from patchbay.platform.paths import AppPaths, write_private


class EngineLock:
    """Held by the process that runs the engine; freed by the system however that process ends.

    The lock file says so to everybody who looks; the lock on the database itself holds when the lock file is
    deleted or the folder renamed, or when two folders share one database.
    """

    def __init__(self, path: Path, database: Path) -> None:
        self._path = path
        self._lock = FileLock(path, thread_local=False)
        self._database = DatabaseFileLock(database)

    def acquire(self) -> bool:
        """Take the lock if nobody holds it. Raises `StorageFault` when the folder can't be written."""
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            return False
        except OSError as error:
            raise file_fault(self._path, error) from error
        try:
            locked = self._database.acquire()
        except BaseException:
            self._lock.release()
            raise
        if not locked:
            self._lock.release()
        return locked

    @property
    def created_database(self) -> bool:
        """Whether there was no database before it was locked."""
        return self._database.created

    def acquire_database(self) -> bool:
        """Lock the database file that is there now, after `release_database`."""
        return self._database.acquire()

    def release_database(self) -> None:
        """Unlock the database file only, to replace it; the lock file still keeps others out."""
        self._database.release()

    def release(self) -> None:
        """Let others in. The database must be closed."""
        self._database.release()
        self._lock.release()


class EngineRole(StrEnum):
    """What kind of program runs the engine of a data folder."""

    SERVICE = "service"
    """`patchbay serve`, which may be restarted by its supervisor."""
    WINDOW = "window"
    """A window, or a command that runs for a while."""


@dataclass(frozen=True)
class Attachment:
    """Where the running service answers, and the token that lets this user's programs in."""

    address: str
    token: str
    pid: int
    role: EngineRole = EngineRole.SERVICE

    def __repr__(self) -> str:
        return f"Attachment(address={self.address!r}, pid={self.pid})"


def announce_service(
    paths: AppPaths, address: str, token: str, *, role: EngineRole = EngineRole.SERVICE
) -> None:
    """Tell this user's other programs where the service is. The file is closed to everybody else."""
    announcement = {"address": address, "token": token, "pid": os.getpid(), "role": role}
    write_private(paths.attachment_file, json.dumps(announcement))


def withdraw_announcement(paths: AppPaths) -> None:
    paths.attachment_file.unlink(missing_ok=True)


def find_attachment(paths: AppPaths) -> Attachment | None:
    """The service that holds the lock, None when its announcement is missing or unreadable."""
    try:
        announcement = json.loads(paths.attachment_file.read_text(encoding="utf-8"))
        role = EngineRole(announcement.get("role", EngineRole.SERVICE))
        return Attachment(
            str(announcement["address"]), str(announcement["token"]), int(announcement["pid"]), role
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
