"""Outcomes that are stored with the next write of their run, which saves a write for each of them."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from patchbay.domain.base import ExecutionId
from patchbay.domain.errors import StorageFault
from patchbay.storage import run_transactions
from patchbay.storage.database import Database
from patchbay.storage.driver import Driver
from patchbay.storage.run_transactions import EncodedOutcome

MAX_SECONDS = 0.002
"""A run that has deferred outcomes for longer waits for a write, so that it doesn't block the event loop."""


@dataclass(slots=True)
class _Deferred:
    """The outcome of one or more steps of a run. `write` is set once it is being stored."""

    outcome: EncodedOutcome
    since: float
    timer: asyncio.Handle
    write: asyncio.Task[bool] | None = None


class DeferredOutcomes:
    """Outcomes of runs whose steps follow each other without waiting for anything.

    As soon as a run leaves the event loop to others, its outcome is stored, so a crash only repeats steps
    that were computed in one go, within about `MAX_SECONDS`.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._by_run: dict[ExecutionId, _Deferred] = {}

    def defer(self, run_id: ExecutionId, outcome: EncodedOutcome) -> bool:
        """Defer an outcome. False if it has to be stored now, since this run has deferred for too long."""
        loop = asyncio.get_running_loop()
        deferred = self._by_run.get(run_id)
        if deferred is None:
            timer = loop.call_soon(self._store, run_id)
            self._by_run[run_id] = _Deferred(outcome, time.monotonic(), timer)
            return True
        if deferred.write is not None or time.monotonic() - deferred.since > MAX_SECONDS:
            return False
        deferred.outcome = replace(outcome, steps=(*deferred.outcome.steps, *outcome.steps))
        return True

    async def write(self, run_id: ExecutionId, work: Callable[[Driver, EncodedOutcome | None], bool]) -> bool:
        """The result of `work`, called on the writer thread with the deferred outcome that it has to store.

        If the run has another token by now, returns False. The outcome stays deferred if the write fails.
        """
        deferred = self._by_run.pop(run_id, None)
        if deferred is None:
            return await self._db.write_driver(lambda driver: work(driver, None))
        deferred.timer.cancel()
        outcome: EncodedOutcome | None = deferred.outcome
        try:
            if deferred.write is not None and (stored := await _result(deferred.write)) is not None:
                outcome = None
                if not stored:
                    return False
            return await self._db.write_driver(lambda driver: work(driver, outcome))
        except Exception:
            if outcome is not None:
                deferred.write = None
                self._by_run[run_id] = deferred
            raise

    def drop(self, run_id: ExecutionId) -> None:
        """Drop the outcome of a run that was interrupted before it was stored."""
        if (deferred := self._by_run.pop(run_id, None)) is not None:
            deferred.timer.cancel()

    def _store(self, run_id: ExecutionId) -> None:
        deferred = self._by_run[run_id]
        outcome = deferred.outcome
        deferred.write = asyncio.create_task(
            self._db.write_driver(lambda driver: run_transactions.outcome(driver, outcome))
        )
        deferred.write.add_done_callback(_mark_retrieved)


def _mark_retrieved(write: "asyncio.Task[bool]") -> None:
    """Keep asyncio from logging the fault of a run that doesn't write any more."""
    if not write.cancelled():
        write.exception()


async def _result(write: "asyncio.Task[bool]") -> bool | None:
    """Whether the run had its token when its outcome was stored; None if it couldn't be stored."""
    try:
        return await asyncio.shield(write)
    except StorageFault:
        return None
