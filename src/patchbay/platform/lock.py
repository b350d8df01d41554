"""One engine per data folder, and how others find the service that runs it."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from patchbay.platform.paths import AppPaths, write_private


class EngineLock:
    """Held by the process that runs the engine; freed by the system however that process ends."""

    def __init__(self, path: Path) -> None:
        self._lock = FileLock(path, thread_local=False)

    def acquire(self) -> bool:
        """Take the lock if nobody holds it."""
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            return False
        return True

    def release(self) -> None:
        self._lock.release()


@dataclass(frozen=True)
class Attachment:
    """Where the running service answers, and the token that lets this user's programs in."""

    address: str
    token: str
    pid: int

    def __repr__(self) -> str:
        return f"Attachment(address={self.address!r}, pid={self.pid})"


def announce(paths: AppPaths, address: str, token: str) -> None:
    """Tell this user's other programs where the service is. The file is closed to everybody else."""
    write_private(paths.attach, json.dumps({"address": address, "token": token, "pid": os.getpid()}))


def withdraw(paths: AppPaths) -> None:
    paths.attach.unlink(missing_ok=True)


def find(paths: AppPaths) -> Attachment | None:
    """The service that holds the lock, None when its announcement is missing or unreadable."""
    try:
        told = json.loads(paths.attach.read_text(encoding="utf-8"))
        return Attachment(str(told["address"]), str(told["token"]), int(told["pid"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
