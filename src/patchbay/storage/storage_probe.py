"""Checks whether data can be saved, so that the health check and windows report a full disk early."""

import asyncio
import logging
import time

from patchbay.domain.errors import StorageFault
from patchbay.storage.database import Database
from patchbay.storage.repositories import meta

log = logging.getLogger(__name__)

MAX_AGE_SECONDS = 10.0
HUNG_SECONDS = 5.0
"""A check that takes longer counts as failed: network drives and failing disks may hang for minutes."""
_WAIT_SECONDS = 0.2
_KEY = "writable_at"


class StorageProbe:
    """Checks free disk space and writes one row, when called and the last check is old enough.

    With `writes` False, it writes only after a failed write, to check whether the disk has recovered.
    """

    def __init__(self, db: Database, *, writes: bool = True, max_age_seconds: float | None = None) -> None:
        self._db, self._writes = db, writes
        self._max_age_seconds = MAX_AGE_SECONDS if max_age_seconds is None else max_age_seconds
        self._running: asyncio.Task[None] | None = None
        self._started_at = 0.0
        self._checked_at = -self._max_age_seconds
        self._fault: StorageFault | None = None

    async def __call__(self) -> None:
        """Raises `StorageFault` if the last check failed, or the running one takes too long.

        Waits at most 0.2 s, also for a busy disk.
        """
        has_new_fault = self._fault is None and self._db.fault is not None
        if self._running is None and (
            has_new_fault or time.monotonic() - self._checked_at >= self._max_age_seconds
        ):
            self._started_at = time.monotonic()
            self._running = asyncio.create_task(self._check(), name="check-storage")
        if self._running is not None:
            await asyncio.wait({self._running}, timeout=_WAIT_SECONDS)
        if self._running is not None and time.monotonic() - self._started_at >= HUNG_SECONDS:
            self._report(
                StorageFault(
                    "The disk doesn't respond.",
                    meaning="Events can't be stored until it does.",
                    todo="Check the disk (and the network, if the data folder is on a network drive).",
                )
            )
        if self._fault is not None:
            fault = self._fault  # a new exception each time, or its traceback would grow
            raise StorageFault(fault.happened, meaning=fault.meaning, todo=fault.todo)

    async def _check(self) -> None:
        try:
            await asyncio.to_thread(self._db.upkeep.require_free_space)
            if self._writes or self._db.fault is not None:
                await self._db.write(lambda tx: meta.put(tx, _KEY, str(int(time.time()))))
            self._fault = None
        except StorageFault as fault:
            self._report(fault)
        finally:
            self._checked_at, self._running = time.monotonic(), None

    def _report(self, fault: StorageFault) -> None:
        if self._fault is None or self._fault.happened != fault.happened:
            log.error("Data can't be saved: %s", fault.text())
        self._fault = fault
