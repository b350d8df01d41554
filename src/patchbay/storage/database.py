"""One database file: a single writer thread with group commit, and read-only connections beside it."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

T = TypeVar("T")


class Database:
    """SQLite in WAL mode. All writes go through one connection on one thread; reads never block them.

    Opened with `await Database.open(path)`, which migrates (after a backup) and checks the file; closed with
    `await close()`. Raises `StorageFault` for everything the database refuses.
    """

    @classmethod
    async def open(cls, path: Path) -> "Database":
        """Open or create the file. Refuses, in words, a file written by a newer program."""
        raise NotImplementedError

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on the writer; returns when its commit is on disk. Waiting writes share one commit.

        `work` runs inside a savepoint: when it raises, only its own changes are undone and the error is
        raised here.
        """
        raise NotImplementedError

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on a read-only connection in a worker thread."""
        raise NotImplementedError

    async def close(self) -> None:
        raise NotImplementedError
