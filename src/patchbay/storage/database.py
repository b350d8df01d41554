"""One database file: a single writer thread with group commit, and read-only connections beside it."""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from patchbay.domain.errors import StorageFault
from patchbay.storage.faults import (
    cannot_open,
    database_closed,
    is_persistent,
    not_a_database,
    translate_sqlite_errors,
)
from patchbay.storage.generation import (
    LostCommits,
    find_lost_commits,
    open_commit_counter,
    read_commit_record,
)
from patchbay.storage.integrity import damage
from patchbay.storage.migrate import migrate_database
from patchbay.storage.readers import ReaderPool
from patchbay.storage.sqlite import create_private, driver_of, is_database_or_empty, writer_engine
from patchbay.storage.writer import Writer

T = TypeVar("T")

_READER_THREADS = 4


class Database:
    """SQLite in WAL mode. All writes go through one connection on one thread; reads never block them.

    Opened with `await Database.open(path)`, which migrates (after a backup) and checks the file; closed with
    `await close()`. Raises `StorageFault` for everything the database refuses.
    """

    def __init__(self, path: Path, writer: Writer) -> None:
        self.path = path
        self._writer = writer
        self._readers = ReaderPool(path)
        self._threads = ThreadPoolExecutor(_READER_THREADS, thread_name_prefix="patchbay-reader")
        self._closed = False
        self.fault: StorageFault | None = None
        """Why the disk took none of the last writes; None since one was stored."""
        self.on_fault: Callable[[], object] = lambda: None
        """Called on the loop when `fault` appears, and when it is over."""
        self.lost_commits: LostCommits | None = None
        """Commits that went missing before the file was opened, until all runs are resumed."""

    @classmethod
    async def open(cls, path: Path) -> "Database":
        """Open or create the file. Refuses, in words, a file written by a newer program.

        When this is cancelled, the file is closed again before `CancelledError` is raised.
        """
        loop = asyncio.get_running_loop()
        opening = loop.run_in_executor(None, cls._open, path)
        try:
            return await _wait_for_thread(opening)
        except asyncio.CancelledError:
            if opening.exception() is None:
                await _wait_for_thread(loop.run_in_executor(None, opening.result()._close))
            raise

    @classmethod
    def _open(cls, path: Path) -> "Database":
        with translate_sqlite_errors():
            try:
                create_private(path)
                if not is_database_or_empty(path):
                    raise not_a_database()
            except OSError as error:
                raise cannot_open(error) from error
            connection = writer_engine(path).connect()
            try:
                migrate_database(connection, path)
                driver = driver_of(connection)
                counter = open_commit_counter(driver, path)
                lost_commits = find_lost_commits(driver, read_commit_record(path))
            except BaseException:
                connection.close()
                raise
        database = cls(path, Writer(connection, counter))
        database.lost_commits = lost_commits
        return database

    @property
    def commits(self) -> int:
        """Commits so far; with group commit fewer than writes."""
        return self._writer.commits

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on the writer; returns when its commit is on disk. Waiting writes share one commit.

        `work` runs inside a savepoint: when it raises, only its own changes are undone and the error is
        raised here. It must not commit, and should be short: everybody's writes wait for it. When the
        waiting task is cancelled the write still happens.
        """
        result: T = await self._await_write(self._writer.submit(work, on_driver=False))
        return result

    async def write_driver(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """`write` on the driver's own connection, for the few statements that run thousands of times."""
        result: T = await self._await_write(self._writer.submit(work, on_driver=True))
        return result

    async def _await_write(self, write: "asyncio.Future[T]") -> T:
        """The result of a write, noting whether the disk takes writes."""
        try:
            result = await write
        except StorageFault as fault:
            if is_persistent(fault):
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

    async def write_outside_transaction(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on the writer outside any transaction, for what SQLite does only there."""
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
        """`read` on the calling thread, for callers that have one of their own."""
        with translate_sqlite_errors():
            return self._readers.run(work)

    async def integrity_check(self) -> tuple[str, ...]:
        """What SQLite finds wrong with the file, in its own words; empty when all is well."""
        return await self.read(damage)

    def size(self) -> int:
        """Bytes on disk, side files included."""
        names = (self.path.name, f"{self.path.name}-wal", f"{self.path.name}-shm")
        files = (self.path.with_name(name) for name in names)
        return sum(file.stat().st_size for file in files if file.exists())

    async def close(self) -> None:
        """Finish queued writes and running reads, then close the file. Safe to call twice.

        When this is cancelled, the file is closed all the same before `CancelledError` is raised.
        """
        self._closed = True
        await _wait_for_thread(asyncio.get_running_loop().run_in_executor(None, self._close))

    def _close(self) -> None:
        # Readers first: the writer, closing last, folds the side files back into the one file.
        self._threads.shutdown(wait=True)
        self._readers.close()
        self._writer.close()


async def _wait_for_thread(work: "asyncio.Future[T]") -> T:
    """The result of work in a thread. Cancelling can't stop the thread, so that it waits for its end first.

    A future and no task: when a loop ends, it cancels all tasks.
    """
    cancelled: asyncio.CancelledError | None = None
    while not work.done():
        try:
            await asyncio.wait((work,))
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        work.exception()  # seen, so that asyncio doesn't report it
        raise cancelled
    return work.result()
