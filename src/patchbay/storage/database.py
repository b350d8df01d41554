"""One database file: a single writer thread with group commit, and read-only connections beside it."""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from patchbay.domain.errors import StorageFault
from patchbay.storage.faults import cannot_open, closed, is_lasting, not_a_database, told_in_words
from patchbay.storage.generation import Lost, lost_commits, open_generation, recorded_generation
from patchbay.storage.integrity import damage
from patchbay.storage.migrate import bring_up_to_date
from patchbay.storage.readers import Readers
from patchbay.storage.sqlite import create_private, driver_of, is_database_or_empty, writer_engine
from patchbay.storage.writer import Writer

T = TypeVar("T")

_READ_THREADS = 4


class Database:
    """SQLite in WAL mode. All writes go through one connection on one thread; reads never block them.

    Opened with `await Database.open(path)`, which migrates (after a backup) and checks the file; closed with
    `await close()`. Raises `StorageFault` for everything the database refuses.
    """

    def __init__(self, path: Path, writer: Writer) -> None:
        self.path = path
        self._writer = writer
        self._readers = Readers(path)
        self._threads = ThreadPoolExecutor(_READ_THREADS, thread_name_prefix="patchbay-reader")
        self._closed = False
        self.fault: StorageFault | None = None
        """Why the disk took none of the last writes; None since one was stored."""
        self.on_fault: Callable[[], object] = lambda: None
        """Called on the loop when `fault` appears, and when it is over."""
        self.lost: Lost | None = None
        """Commits that went missing before the file was opened, until all runs are resumed."""

    @classmethod
    async def open(cls, path: Path) -> "Database":
        """Open or create the file. Refuses, in words, a file written by a newer program.

        When this is cancelled, the file is closed again before `CancelledError` is raised.
        """
        loop = asyncio.get_running_loop()
        opening = loop.run_in_executor(None, cls._open, path)
        try:
            return await _finished(opening)
        except asyncio.CancelledError:
            if opening.exception() is None:
                await _finished(loop.run_in_executor(None, opening.result()._close))
            raise

    @classmethod
    def _open(cls, path: Path) -> "Database":
        with told_in_words():
            try:
                create_private(path)
                if not is_database_or_empty(path):
                    raise not_a_database()
            except OSError as error:
                raise cannot_open(error) from error
            connection = writer_engine(path).connect()
            try:
                bring_up_to_date(connection, path)
                driver = driver_of(connection)
                generation = open_generation(driver, path)
                lost = lost_commits(driver, recorded_generation(path))
            except BaseException:
                connection.close()
                raise
        database = cls(path, Writer(connection, generation))
        database.lost = lost
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
        result: T = await self._stored(self._writer.submit(work, on_driver=False))
        return result

    async def write_driver(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """`write` on the driver's own connection, for the few statements that run thousands of times."""
        result: T = await self._stored(self._writer.submit(work, on_driver=True))
        return result

    async def _stored(self, write: "asyncio.Future[T]") -> T:
        """The result of a write, noting whether the disk takes writes."""
        try:
            result = await write
        except StorageFault as fault:
            if is_lasting(fault):
                self._note(fault)
            raise
        if self.fault is not None:
            self._note(None)
        return result

    def _note(self, fault: StorageFault | None) -> None:
        turned = (fault is None) is not (self.fault is None)
        self.fault = fault
        if turned:
            self.on_fault()

    async def write_alone(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on the writer outside any transaction, for what SQLite does only there."""
        result: T = await self._writer.submit(work, on_driver=True, alone=True)
        return result

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on a read-only connection in a worker thread. Results must be fetched inside."""
        if self._closed:
            raise closed()
        return await asyncio.get_running_loop().run_in_executor(self._threads, self.read_here, work)

    def read_here(self, work: Callable[[Connection], T]) -> T:
        """`read` on the calling thread, for callers that have one of their own."""
        with told_in_words():
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
        await _finished(asyncio.get_running_loop().run_in_executor(None, self._close))

    def _close(self) -> None:
        # Readers first: the writer, closing last, folds the side files back into the one file.
        self._threads.shutdown(wait=True)
        self._readers.close()
        self._writer.close()


async def _finished(work: "asyncio.Future[T]") -> T:
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
