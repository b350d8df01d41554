"""The one thread that writes, with group commit: everything that waits shares the next commit."""

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from patchbay.storage.faults import database_closed, storage_fault
from patchbay.storage.generation import CommitCounter
from patchbay.storage.sqlite import driver_of

_log = logging.getLogger(__name__)

_MAX_GROUP_SIZE = 512
"""Works in one commit at most, so that the first of a flood is not kept waiting by the last."""


@dataclass(slots=True, eq=False)
class _Job:
    """One waiting write: what to do, and who waits for it. `outside_transaction` runs outside any transaction."""

    work: Callable[[Any], Any]
    on_driver: bool
    outside_transaction: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None


class Writer:
    """Runs works one after the other on the read-write connection; `commits` counts what they shared."""

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
        """Queue a work from a running loop. Cancelling the future abandons the answer, not the write."""
        loop = asyncio.get_running_loop()
        job = _Job(work, on_driver, outside_transaction, loop, loop.create_future())
        with self._lock:
            if not self._open:
                raise database_closed()
            self._queue.put(job)
        return job.future

    def close(self) -> None:
        """Finish what is queued, then stop and close the connection. Blocks; safe to call twice."""
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
        """Wait for a job, then take all that wait behind it; False when it was time to stop."""
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
            # The commit stands; only a later loss of it would go unnoticed.
            _log.warning("the generation of the database could not be written: %s", error)

    def _run_outside_transaction(self, jobs: list[_Job]) -> None:
        for job in jobs:
            try:
                job.result = job.work(self._driver if job.on_driver else self._connection)
            except BaseException as error:  # noqa: BLE001  the answer tells it, whatever it is
                job.error = storage_fault(error) or error

    def _run_in_savepoint(self, job: _Job) -> None:
        """One work in its savepoint. Raises when SQLite gave up the transaction all works share."""
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
    """Tell everybody, with one wake-up per loop; nothing of theirs runs on this thread."""
    by_loop: dict[asyncio.AbstractEventLoop, list[_Job]] = {}
    for job in group:
        by_loop.setdefault(job.loop, []).append(job)
    for loop, jobs in by_loop.items():
        try:
            loop.call_soon_threadsafe(_resolve, jobs)
        except RuntimeError:
            # The loop was closed while we wrote: the writes stand, nobody is left to hear of them.
            continue


def _resolve(jobs: list[_Job]) -> None:
    for job in jobs:
        if job.future.done():
            continue
        if job.error is not None:
            job.future.set_exception(job.error)
        else:
            job.future.set_result(job.result)
