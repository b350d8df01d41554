"""The SQLite database: one writer thread with group commit, and read-only connections beside it.

A commit costs an fsync, which takes milliseconds whatever its size. So the writer runs all waiting writes in
one transaction, and resolves their futures after the shared commit. A write that fails is undone alone: the
group is then run again with a savepoint for each.
"""

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from patchbay.domain.errors import StorageFault
from patchbay.storage.commit_counter import (
    CommitCounter,
    LostCommits,
    find_lost_commits,
    open_commit_counter,
    read_commit_record,
)
from patchbay.storage.integrity import damage
from patchbay.storage.migrate import migrate_database
from patchbay.storage.sqlite import (
    ReaderPool,
    cannot_open,
    create_private,
    database_closed,
    driver_of,
    is_database_or_empty,
    is_persistent,
    not_a_database,
    storage_fault,
    translate_sqlite_errors,
    writer_engine,
)

_log = logging.getLogger(__name__)

T = TypeVar("T")

_MAX_GROUP_SIZE = 512
"""Max. writes in one commit, so that the first of many doesn't wait for the last."""
_READER_THREADS = 4


@dataclass(slots=True, eq=False)
class _Job:
    """A queued write, with the future of its caller."""

    work: Callable[[Any], Any]
    on_driver: bool
    outside_transaction: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None


class Writer:
    """Runs queued writes on the read-write connection, on a thread of its own. `commits` counts commits."""

    def __init__(self, connection: Connection, counter: CommitCounter) -> None:
        self.commits = 0
        self._commit_counter = counter
        self._connection = connection
        self._driver = driver_of(connection)
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._open = True
        self._thread = threading.Thread(target=self._run, name="patchbay-writer", daemon=True)
        self._thread.start()

    def submit(
        self, work: Callable[[Any], Any], *, on_driver: bool, outside_transaction: bool = False
    ) -> asyncio.Future[Any]:
        """Queue a write from a running event loop. Cancelling the future doesn't cancel the write."""
        loop = asyncio.get_running_loop()
        job = _Job(work, on_driver, outside_transaction, loop, loop.create_future())
        with self._lock:
            if not self._open:
                raise database_closed()
            self._queue.put(job)
        return job.future

    def close(self) -> None:
        """Finish queued writes, then close the connection. Blocks. Safe to call twice."""
        with self._lock:
            if self._open:
                self._open = False
                self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        running = True
        while running:
            group, running = self._next_group()
            if grouped := [job for job in group if not job.outside_transaction]:
                self._commit(grouped)
                _deliver_results(grouped)
            if standalone := [job for job in group if job.outside_transaction]:
                self._run_outside_transaction(standalone)
                _deliver_results(standalone)
        self._connection.close()
        self._commit_counter.close()

    def _next_group(self) -> tuple[list[_Job], bool]:
        """Wait for a job, then take all that are queued behind it; False when the writer has to stop."""
        group: list[_Job] = []
        job = self._queue.get()
        while job is not None:
            group.append(job)
            if len(group) == _MAX_GROUP_SIZE:
                return group, True
            try:
                job = self._queue.get_nowait()
            except Empty:
                return group, True
        return group, False

    def _commit(self, group: list[_Job]) -> None:
        try:
            self._driver.execute("BEGIN IMMEDIATE")
            before, number = self._driver.total_changes, self._commit_counter.number
            if not self._run_together(group):
                for job in group:
                    self._run_in_savepoint(job)
            if self._driver.total_changes != before:
                number = self._commit_counter.advance(self._driver)
            self._driver.execute("COMMIT")
            self.commits += 1
        except sqlite3.Error as error:
            if self._driver.in_transaction:
                self._driver.execute("ROLLBACK")
            for job in group:
                job.error = storage_fault(error)
        else:
            self._publish(number)

    def _publish(self, number: int) -> None:
        if number == self._commit_counter.number:
            return
        try:
            self._commit_counter.publish(number)
        except OSError as error:
            # The commit succeeded; only a later loss of it would go unnoticed.
            _log.warning("the commit counter of the database couldn't be written: %s", error)

    def _run_outside_transaction(self, jobs: list[_Job]) -> None:
        for job in jobs:
            try:
                job.result = job.work(self._driver if job.on_driver else self._connection)
            except BaseException as error:  # noqa: BLE001  passed on to the caller
                job.error = storage_fault(error) or error

    def _run_together(self, group: list[_Job]) -> bool:
        """Run the writes of a group without savepoints. False, with nothing changed, if one of them fails.

        Savepoints cost half as much as the statements of a run. They're only needed if a write fails, which
        is rare: then all are run again, each in a savepoint. So only writes on the driver are run like this,
        which do nothing but execute statements.
        """
        if not all(job.on_driver for job in group):
            return False
        try:
            for job in group:
                job.result = job.work(self._driver)
        except Exception:  # noqa: BLE001  raised again in its savepoint
            if self._driver.in_transaction:
                self._driver.execute("ROLLBACK")
            self._driver.execute("BEGIN IMMEDIATE")
            return False
        return True

    def _run_in_savepoint(self, job: _Job) -> None:
        """Run one write in a savepoint. Raises if SQLite rolled back the shared transaction."""
        execute = self._driver.execute
        execute("SAVEPOINT work")
        try:
            job.result = job.work(self._driver if job.on_driver else self._connection)
        except BaseException as error:
            job.error = storage_fault(error) or error
            if not self._driver.in_transaction:
                raise _transaction_error(error) from error
            execute("ROLLBACK TO work")
        execute("RELEASE work")


def _transaction_error(error: BaseException) -> BaseException:
    if isinstance(error, DBAPIError) and isinstance(error.orig, sqlite3.Error):
        return error.orig
    return error if isinstance(error, sqlite3.Error) else sqlite3.OperationalError(str(error))


def _deliver_results(group: Iterable[_Job]) -> None:
    """Resolve all futures with one `call_soon_threadsafe` per event loop; no callback runs on this thread."""
    by_loop: dict[asyncio.AbstractEventLoop, list[_Job]] = {}
    for job in group:
        by_loop.setdefault(job.loop, []).append(job)
    for loop, jobs in by_loop.items():
        try:
            loop.call_soon_threadsafe(_resolve, jobs)
        except RuntimeError:
            # The loop was closed meanwhile: the writes succeeded, but nothing waits for them any more.
            continue


def _resolve(jobs: list[_Job]) -> None:
    for job in jobs:
        if job.future.done():
            continue
        if job.error is not None:
            job.future.set_exception(job.error)
        else:
            job.future.set_result(job.result)


class Database:
    """SQLite in WAL mode. All writes go through one connection on one thread; reads never block them.

    Opened with `await Database.open(path)`, which migrates (after a backup) and checks the file; closed with
    `await close()`. Raises `StorageFault` for every error of the database.
    """

    def __init__(self, path: Path, writer: Writer) -> None:
        self.path = path
        self._writer = writer
        self._readers = ReaderPool(path)
        self._threads = ThreadPoolExecutor(_READER_THREADS, thread_name_prefix="patchbay-reader")
        self._closed = False
        self.fault: StorageFault | None = None
        """Why the last write failed, if the disk is the cause; None after a successful write."""
        self.on_fault: Callable[[], object] = lambda: None
        """Called on the event loop when `fault` is set or cleared."""
        self.lost_commits: LostCommits | None = None
        """Commits found missing when the file was opened; None once all runs are resumed."""

    @classmethod
    async def open(cls, path: Path) -> "Database":
        """Open or create the file. Raises `StorageFault`, also for a file of a newer version.

        If cancelled, closes the file again before raising `CancelledError`.
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

    async def write_driver(self, work: Callable[[sqlite3.Connection], T]) -> T:
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
        """Run `work` on the writer thread outside any transaction, such as a checkpoint."""
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
        with translate_sqlite_errors():
            return self._readers.run(work)

    async def integrity_check(self) -> tuple[str, ...]:
        """Problems that SQLite finds in the file, in its words; empty if there are none."""
        return await self.read(damage)

    def size(self) -> int:
        """Bytes on disk, including the write-ahead log."""
        names = (self.path.name, f"{self.path.name}-wal", f"{self.path.name}-shm")
        files = (self.path.with_name(name) for name in names)
        return sum(file.stat().st_size for file in files if file.exists())

    async def close(self) -> None:
        """Finish queued writes and running reads, then close the file. Safe to call twice.

        If cancelled, still closes the file before raising `CancelledError`.
        """
        self._closed = True
        await _wait_for_thread(asyncio.get_running_loop().run_in_executor(None, self._close))

    def _close(self) -> None:
        # Readers first: closing the last connection, the writer's, moves the write-ahead log into the file.
        self._threads.shutdown(wait=True)
        self._readers.close()
        self._writer.close()


async def _wait_for_thread(work: "asyncio.Future[T]") -> T:
    """Wait for work in a thread. If cancelled, waits for its end first, since threads can't be cancelled.

    `work` must be a future, not a task: a closing event loop cancels all tasks.
    """
    cancelled: asyncio.CancelledError | None = None
    while not work.done():
        try:
            await asyncio.wait((work,))
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        work.exception()  # mark as retrieved, so that asyncio doesn't log it
        raise cancelled
    return work.result()
