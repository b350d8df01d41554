"""The database: one writer with group commit, and read-only connections beside it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from sqlalchemy import Connection

from patchbay.domain.cancellation import wait_despite_cancelling
from patchbay.domain.errors import StorageFault
from patchbay.storage.commit_counter import LostCommits
from patchbay.storage.driver import Driver
from patchbay.storage.writer import Writer, database_closed

if TYPE_CHECKING:
    from patchbay.storage.postgresql.address import PostgresAddress
    from patchbay.storage.postgresql.peers import PostgresPeers

T = TypeVar("T")

_READER_THREADS = 4


class Readers(Protocol):
    """Read-only connections."""

    def run(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on the calling thread, in one state of the database. Results must be fetched inside."""
        ...

    def close(self) -> None:
        """Close idle connections; those in use are closed when their read ends."""
        ...


@dataclass(frozen=True, slots=True)
class DiskUse:
    """Bytes that the database takes on disk, and how many of them are free for reuse."""

    bytes: int
    free_bytes: int


class Upkeep(Protocol):
    """What is done to the file or the server apart from reading and writing rows."""

    def disk_use(self, tx: Connection) -> DiskUse:
        """How much of the disk the database takes."""
        ...

    def damage(self, tx: Connection) -> tuple[str, ...]:
        """Damage that the database finds in itself; empty if there is none."""
        ...

    def require_free_space(self) -> None:
        """Raise `StorageFault` if the disk is almost full, or can't be reached. Blocks."""
        ...

    async def after_deletion(self, db: "Database") -> None:
        """Called after rows were deleted."""
        ...

    async def release_free_space(self, db: "Database", max_free_share: float, pause: float) -> int:
        """Give free space back to the disk until at most this share (0 to 1) is free. Returns bytes."""
        ...


@dataclass(frozen=True)
class OpenedDatabase:
    """The parts of an open database."""

    name: str
    """The file or the server, for messages."""
    writer: Writer
    readers: Readers
    upkeep: Upkeep
    lost_commits: LostCommits | None = None
    lock_name: Callable[[str], Callable[[], None]] | None = None
    """Waits for a lock that programs share, and returns what ends it. Blocks. None for a file."""
    peers: "PostgresPeers | None" = None
    """The other programs that share it; None for a file, which only one program can have."""


class Database:
    """All writes go through one connection on one thread; reads never block them.

    Opened with `await Database.open(location)`, which migrates and checks the database; closed with
    `await close()`. Raises `StorageFault` for every error of the database.
    """

    def __init__(self, parts: OpenedDatabase) -> None:
        self.name = parts.name
        self.upkeep = parts.upkeep
        self._writer = parts.writer
        self._readers = parts.readers
        self._threads = ThreadPoolExecutor(_READER_THREADS, thread_name_prefix="patchbay-reader")
        self._closed = False
        self._lock_name = parts.lock_name
        self.peers = parts.peers
        """The other programs that share the database; None if none can."""
        if self.peers is not None:
            self.peers.use(self)
        self.fault: StorageFault | None = None
        """Why the last write failed, if the next one would fail too; None after a successful write."""
        self.on_fault: Callable[[], object] = lambda: None
        """Called on the event loop when `fault` is set or cleared."""
        self.lost_commits = parts.lost_commits
        """Commits found missing when the file was opened; None once all runs are resumed."""

    @classmethod
    async def open(cls, location: "Path | PostgresAddress") -> "Database":
        """Open or create an SQLite file, or open the database of a PostgreSQL server.

        Raises `StorageFault`, also for a database of a newer version. If cancelled, closes it again before
        raising `CancelledError`.
        """
        loop = asyncio.get_running_loop()
        opening = loop.run_in_executor(None, cls._open, location)
        try:
            return await _wait_for_thread(opening)
        except asyncio.CancelledError:
            if opening.exception() is None:
                await _wait_for_thread(loop.run_in_executor(None, opening.result()._close))
            raise

    @classmethod
    def _open(cls, location: "Path | PostgresAddress") -> "Database":
        # Imported here: only one of the two is needed.
        if isinstance(location, Path):
            from patchbay.storage.sqlite_file import open_sqlite

            return cls(open_sqlite(location))
        from patchbay.storage.postgresql.database import open_postgresql

        return cls(open_postgresql(location))

    @property
    def commits(self) -> int:
        """Number of commits so far; fewer than writes, because of group commit."""
        return self._writer.commits

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on the writer thread; returns when its commit is on disk.

        If `work` raises, only its own changes are undone, and the error is raised here. It must not commit,
        and should be short, since all other writes wait for it. Cancelling the waiting task doesn't cancel
        the write.
        """
        result: T = await self._await_write(self._writer.submit(work, on_driver=False))
        return result

    async def write_driver(self, work: Callable[[Driver], T]) -> T:
        """Like `write`, but on the driver's connection, for statements that run thousands of times.

        `work` may be called twice: again after a rollback, if another write of its group failed.
        """
        result: T = await self._await_write(self._writer.submit(work, on_driver=True))
        return result

    async def _await_write(self, write: "asyncio.Future[T]") -> T:
        """Wait for a write, and update `fault`."""
        try:
            result = await write
        except StorageFault as fault:
            if self._writer.is_persistent(fault):
                self._set_fault(fault)
            raise
        if self.fault is not None:
            self._set_fault(None)
        return result

    def _set_fault(self, fault: StorageFault | None) -> None:
        changed = (fault is None) is not (self.fault is None)
        self.fault = fault
        if changed:
            self.on_fault()

    async def write_outside_transaction(self, work: Callable[[Any], T]) -> T:
        """Run `work` with the driver's connection on the writer thread outside any transaction."""
        result: T = await self._writer.submit(work, on_driver=True, outside_transaction=True)
        return result

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on a read-only connection in a worker thread. Results must be fetched inside."""
        if self._closed:
            raise database_closed()
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, self.read_in_calling_thread, work
        )

    def read_in_calling_thread(self, work: Callable[[Connection], T]) -> T:
        """Like `read`, but on the calling thread."""
        return self._readers.run(work)

    @asynccontextmanager
    async def exclusively(self, name: str) -> AsyncIterator[None]:
        """Keep other programs that share the database from doing the same during the block.

        Tasks of this program aren't kept from it. Raises `StorageFault` if another program takes too long.
        If cancelled, still waits for the lock and frees it.
        """
        if self._lock_name is None:
            yield
            return
        loop = asyncio.get_running_loop()
        locking = loop.run_in_executor(None, self._lock_name, name)
        was_cancelled = await wait_despite_cancelling(locking)
        if was_cancelled and locking.exception() is not None:
            raise asyncio.CancelledError
        unlock = locking.result()
        try:
            if was_cancelled:
                raise asyncio.CancelledError
            yield
        finally:
            await _wait_for_thread(loop.run_in_executor(None, unlock))

    async def integrity_check(self) -> tuple[str, ...]:
        """Problems that the database finds in itself, in its words; empty if there are none."""
        return await self.read(self.upkeep.damage)

    async def close(self) -> None:
        """Finish queued writes and running reads, then close the connections. Safe to call twice.

        If cancelled, still closes them before raising `CancelledError`.
        """
        self._closed = True
        await _wait_for_thread(asyncio.get_running_loop().run_in_executor(None, self._close))

    def _close(self) -> None:
        # Readers first: the last connection that closes moves SQLite's write-ahead log into the file.
        self._threads.shutdown(wait=True)
        self._readers.close()
        self._writer.close()


async def _wait_for_thread(work: "asyncio.Future[T]") -> T:
    """Wait for work in a thread. If cancelled, waits for its end first, since threads can't be cancelled.

    `work` must be a future, not a task: a closing event loop cancels all tasks.
    """
    if await wait_despite_cancelling(work):
        work.exception()  # mark as retrieved, so that asyncio doesn't log it
        raise asyncio.CancelledError
    return work.result()
