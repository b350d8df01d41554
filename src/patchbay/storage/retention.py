"""Removing old executions: oldest first, a few at a time, so that the writer is never held up for long."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

from sqlalchemy import Connection, TextClause, text

from patchbay.domain.base import EpochMs, ExecutionId
from patchbay.domain.engine import Retention, Tidied
from patchbay.domain.executions import ExecutionState
from patchbay.storage import leftovers, tally
from patchbay.storage.database import Database
from patchbay.storage.execution_filter import Selected
from patchbay.storage.space import BUDGET, PAUSE, fold_log, give_back, storage_use
from patchbay.storage.sqlite import driver_of

__all__ = ["remove_old", "storage_use"]

_DAY = 86_400_000
_PAGE = 500
_ROWS_AT_ONCE = 50
_WELL = (ExecutionState.SUCCESS, ExecutionState.FILTERED, ExecutionState.CANCELLED)

_KEPT = """
SELECT (SELECT newest.execution_id FROM execution_step AS newest
        WHERE newest.step_id = step.id AND newest.status = 'success'
        ORDER BY newest.finished_at DESC LIMIT 1)
FROM step JOIN flow ON flow.id = step.flow_id WHERE step.deleted_at IS NULL AND flow.deleted_at IS NULL
UNION
SELECT (SELECT newest.id FROM execution AS newest WHERE newest.flow_id = flow.id AND newest.test_run = 0
        ORDER BY newest.created_at DESC, newest.id DESC LIMIT 1)
FROM flow WHERE flow.deleted_at IS NULL
"""
"""What the editor shows as samples, and each flow's last run: kept however old they are."""

_AWAITED = """
execution.origin_kind = 'call' AND EXISTS (
    SELECT 1 FROM execution AS caller
    WHERE caller.id = execution.origin_id AND caller.status IN ('queued', 'running', 'waiting'))
"""
_OLD = text(f"""
SELECT id, created_at FROM execution
WHERE status = :state AND (created_at, id) > (:at, :after) AND created_at < :before
  AND coalesce(finished_at, updated_at) < :before AND NOT coalesce({_AWAITED}, 0)
ORDER BY created_at, id LIMIT :page
""")
_OLDEST = text(f"""
SELECT id, created_at FROM execution
WHERE (created_at, id) > (:at, :after) AND +status IN ('success', 'filtered', 'cancelled')
  AND NOT coalesce({_AWAITED}, 0)
ORDER BY created_at, id LIMIT :page
""")
"""The plus keeps the planner on the index by time: by status it would sort a million rows for each page."""

_STEPS = "SELECT seq, attempt FROM execution_step WHERE execution_id = ?"
_REMOVE_STEP = "DELETE FROM execution_step WHERE execution_id = ? AND seq = ? AND attempt = ?"
_REMEMBER = """
INSERT INTO seen_event (flow_id, internal_id)
SELECT flow_id, internal_id FROM execution
WHERE id = ? AND internal_id IS NOT NULL AND coalesce(origin_kind, '') <> 'failure'
ON CONFLICT (flow_id, internal_id) DO NOTHING
"""
"""What a failure started needs no memory: nobody can report the same failure again."""
_REMOVE = "DELETE FROM execution WHERE id = ?"


async def remove_old(
    db: Database,
    retention: Retention,
    now: EpochMs,
    progress: Callable[[int], None] = lambda removed: None,
    *,
    spare: float = 0.0,
    pause: float = PAUSE,
) -> Tidied:
    """Remove finished executions that are older or more than `retention` keeps, and what nothing needs now.

    Their events stay known as duplicates. Kept whatever their age are each flow's last run, the samples of
    its steps, and answers that a run still waits for. Then free space is given back until `spare` of the
    file is free (0 to 1). `progress` is told the number removed so far. May be cut off anywhere.
    """
    kept = await db.read(lambda tx: frozenset(tx.exec_driver_sql(_KEPT).scalars()))
    removed = 0
    for state, days in ((ExecutionState.FAILURE, retention.failure_days), *_aged(retention)):
        if days is not None:
            async for ids in _pages(db, _OLD, kept, state=state, before=now - days * _DAY):
                removed += await _remove(db, ids, pause)
                progress(removed)
    if retention.most is not None:
        async for ids in _too_many(db, retention.most, now, kept):
            removed += await _remove(db, ids, pause)
            progress(removed)
    await leftovers.remove(db, now, pause)
    return Tidied(removed=removed, freed_bytes=await give_back(db, spare, pause))


def _aged(retention: Retention) -> list[tuple[ExecutionState, int | None]]:
    return [(state, retention.success_days) for state in _WELL]


async def _too_many(
    db: Database, most: int, now: EpochMs, kept: frozenset[ExecutionId]
) -> AsyncIterator[Sequence[ExecutionId]]:
    """What is more than `most`: oldest first, failures last."""
    excess = await db.read(lambda tx: tally.ever(driver_of(tx), Selected())) - most
    failures = {"state": ExecutionState.FAILURE, "before": now}
    for query, values in ((_OLDEST, {}), (_OLD, failures)):
        if excess > 0:
            async for ids in _pages(db, query, kept, **values):
                yield ids[:excess]
                excess -= len(ids)
                if excess <= 0:
                    return


async def _pages(
    db: Database, query: TextClause, kept: frozenset[ExecutionId], **values: object
) -> AsyncIterator[Sequence[ExecutionId]]:
    """The ids a query finds, page by page; each goes on where the last one ended."""
    place: dict[str, object] = {"at": 0, "after": "", "page": _PAGE, **values}
    while found := await db.read(partial(_page, query, place)):
        place["after"], place["at"] = found[-1]
        yield [key for key, _ in found if key not in kept]


def _page(query: TextClause, values: dict[str, object], tx: Connection) -> list[tuple[ExecutionId, EpochMs]]:
    return [(key, at) for key, at in tx.execute(query, values)]


async def _remove(db: Database, ids: Sequence[ExecutionId], pause: float) -> int:
    """Remove these, each commit as many as a moment allows; how many were there."""
    removed = done = 0
    while done < len(ids):
        passed, there = await db.write_driver(partial(_remove_some, ids[done:]))
        done, removed = done + passed, removed + there
        await asyncio.sleep(pause)
    await fold_log(db)
    return removed


def _remove_some(ids: Sequence[ExecutionId], driver: sqlite3.Connection) -> tuple[int, int]:
    """How many of the first were gone through, and how many of these were there."""
    end = time.perf_counter() + BUDGET
    removed = 0
    for passed, key in enumerate(ids):
        if (passed and time.perf_counter() > end) or not _remove_steps(driver, key, end):
            return passed, removed
        driver.execute(_REMEMBER, (key,))
        removed += driver.execute(_REMOVE, (key,)).rowcount
    tally.fold_if_much(driver)
    return len(ids), removed


def _remove_steps(driver: sqlite3.Connection, key: ExecutionId, end: float) -> bool:
    """False: there was no time for all of them; a loop may have left thousands."""
    rows = [(key, seq, attempt) for seq, attempt in driver.execute(_STEPS, (key,))]
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        if start and time.perf_counter() > end:
            return False
        driver.executemany(_REMOVE_STEP, rows[start : start + _ROWS_AT_ONCE])
    return True
