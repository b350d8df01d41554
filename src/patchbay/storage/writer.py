"""The single writer: all writes run on one thread, and those that wait share a commit.

A commit costs an fsync, which takes milliseconds whatever its size. So the writer runs all waiting writes in
one transaction, and resolves their futures after the shared commit. A write that fails is undone alone.
"""

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from patchbay.domain.errors import StorageFault

_MAX_GROUP_SIZE = 512
"""Max. writes in one commit, so that the first of many doesn't wait for the last."""


def database_closed() -> StorageFault:
    """The error for reading or writing a closed database."""
    return StorageFault(
        "The database is closed.",
        meaning="The workspace was closed at the same time.",
        todo="Open the workspace again.",
    )


@dataclass(slots=True, eq=False)
class Job:
    """A queued write, with the future of its caller."""

    work: Callable[[Any], Any]
    on_driver: bool
    outside_transaction: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None


class Writer(ABC):
    """Runs queued writes on a read-write connection, on a thread of its own. `commits` counts commits."""

    def __init__(self) -> None:
        self.commits = 0
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._open = True
        self._thread = threading.Thread(target=self._run, name="patchbay-writer", daemon=True)

    @abstractmethod
    def is_persistent(self, fault: StorageFault) -> bool:
        """Whether the next write would fail too, such as on a full disk."""

    @abstractmethod
    def _commit(self, group: list[Job]) -> None:
        """Run jobs in one transaction; sets the result or the error of each."""

    @abstractmethod
    def _run_outside_transaction(self, jobs: list[Job]) -> None:
        """Run jobs outside any transaction; sets the result or the error of each."""

    @abstractmethod
    def _close_connection(self) -> None:
        """Close the connection, after the last job."""

    def submit(
        self, work: Callable[[Any], Any], *, on_driver: bool, outside_transaction: bool = False
    ) -> asyncio.Future[Any]:
        """Queue a write from a running event loop. Cancelling the future doesn't cancel the write."""
        loop = asyncio.get_running_loop()
        job = Job(work, on_driver, outside_transaction, loop, loop.create_future())
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
                try:
                    self._commit(grouped)
                except BaseException as error:  # noqa: BLE001  callers would wait forever for a writer that ended
                    for job in grouped:
                        job.error = error
                _deliver_results(grouped)
            if standalone := [job for job in group if job.outside_transaction]:
                self._run_outside_transaction(standalone)
                _deliver_results(standalone)
        self._close_connection()

    def _next_group(self) -> tuple[list[Job], bool]:
        """Wait for a job, then take all that are queued behind it; False when the writer has to stop."""
        group: list[Job] = []
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


def _deliver_results(group: Iterable[Job]) -> None:
    """Resolve all futures with one `call_soon_threadsafe` per event loop; no callback runs on this thread."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Job]] = {}
    for job in group:
        by_loop.setdefault(job.loop, []).append(job)
    for loop, jobs in by_loop.items():
        try:
            loop.call_soon_threadsafe(_resolve, jobs)
        except RuntimeError:
            # The loop was closed meanwhile: the writes succeeded, but nothing waits for them any more.
            continue


def _resolve(jobs: list[Job]) -> None:
    for job in jobs:
        if job.future.done():
            continue
        if job.error is not None:
            job.future.set_exception(job.error)
        else:
            job.future.set_result(job.result)
