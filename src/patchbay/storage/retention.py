"""Removing old executions: oldest first, a few at a time, so that the writer is never held up for long."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

from sqlalchemy import Connection, TextClause, text

from patchbay.domain.base import EpochMs, ExecutionId
from patchbay.domain.engine import CleanupResult, Retention
from patchbay.domain.executions import ExecutionState
from patchbay.storage import leftovers, tally
from patchbay.storage.database import Database
from patchbay.storage.execution_filter import ExecutionSelection
from patchbay.storage.space import (
    PAUSE_SECONDS,
    WRITER_SECONDS,
    checkpoint_log,
    release_free_pages,
    storage_usage,
)
from patchbay.storage.sqlite import driver_of

__all__ = ["apply_retention", "storage_usage"]

_DAY = 86_400_000
_PAGE_ROWS = 500
_ROWS_AT_ONCE = 50
_NOT_FAILED_STATES = (ExecutionState.SUCCESS, ExecutionState.FILTERED, ExecutionState.CANCELLED)

_PROTECTED = """
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

_IS_AWAITED = """
execution.origin_kind = 'call' AND EXISTS (
    SELECT 1 FROM execution AS caller
    WHERE caller.id = execution.origin_id AND caller.status IN ('queued', 'running', 'waiting'))
"""
_EXPIRED = text(f"""
SELECT id, created_at FROM execution
WHERE status = :state AND (created_at, id) > (:at, :after) AND created_at < :before
  AND coalesce(finished_at, updated_at) < :before AND NOT coalesce({_IS_AWAITED}, 0)
ORDER BY created_at, id LIMIT :page
""")
_OLDEST_NOT_FAILED = text(f"""
SELECT id, created_at FROM execution
WHERE (created_at, id) > (:at, :after) AND +status IN ('success', 'filtered', 'cancelled')
  AND NOT coalesce({_IS_AWAITED}, 0)
ORDER BY created_at, id LIMIT :page
""")
"""The plus keeps the planner on the index by time: by status it would sort a million rows for each page."""

_STEP_KEYS = "SELECT seq, attempt FROM execution_step WHERE execution_id = ?"
_DELETE_STEP_ROW = "DELETE FROM execution_step WHERE execution_id = ? AND seq = ? AND attempt = ?"
_RECORD_SEEN_EVENT = """
INSERT INTO seen_event (flow_id, internal_id)
SELECT flow_id, internal_id FROM execution
WHERE id = ? AND internal_id IS NOT NULL AND coalesce(origin_kind, '') <> 'failure'
ON CONFLICT (flow_id, internal_id) DO NOTHING
"""
"""What a failure started needs no memory: nobody can report the same failure again."""
_DELETE_EXECUTION = "DELETE FROM execution WHERE id = ?"


async def apply_retention(
    db: Database,
    retention: Retention,
    now: EpochMs,
    progress: Callable[[int], None] = lambda removed: None,
    *,
    max_free_share: float = 0.0,
    pause: float = PAUSE_SECONDS,
) -> CleanupResult:
    """Remove finished executions that are older or more than `retention` keeps, and what nothing needs now.

    Their events stay known as duplicates. Kept whatever their age are each flow's last run, the samples of
    its steps, and answers that a run still waits for. Then free space is given back until `max_free_share` of the
    file is free (0 to 1). `progress` is told the number removed so far. May be cut off anywhere.
    """
    protected = await db.read(lambda tx: frozenset(tx.exec_driver_sql(_PROTECTED).scalars()))
    removed = 0
    for state, days in ((ExecutionState.FAILURE, retention.failure_days), *_success_age_limits(retention)):
        if days is not None:
            async for ids in _pages(db, _EXPIRED, protected, state=state, before=now - days * _DAY):
                removed += await _delete_executions(db, ids, pause)
                progress(removed)
    if retention.most is not None:
        async for ids in _pages_over_limit(db, retention.most, now, protected):
            removed += await _delete_executions(db, ids, pause)
            progress(removed)
    await leftovers.purge(db, now, pause)
    return CleanupResult(removed=removed, freed_bytes=await release_free_pages(db, max_free_share, pause))


def _success_age_limits(retention: Retention) -> list[tuple[ExecutionState, int | None]]:
    return [(state, retention.success_days) for state in _NOT_FAILED_STATES]


async def _pages_over_limit(
    db: Database, most: int, now: EpochMs, protected: frozenset[ExecutionId]
) -> AsyncIterator[Sequence[ExecutionId]]:
    """What is more than `most`: oldest first, failures last."""
    excess = await db.read(lambda tx: tally.count_all(driver_of(tx), ExecutionSelection())) - most
    failures = {"state": ExecutionState.FAILURE, "before": now}
    for query, values in ((_OLDEST_NOT_FAILED, {}), (_EXPIRED, failures)):
        if excess > 0:
            async for ids in _pages(db, query, protected, **values):
                yield ids[:excess]
                excess -= len(ids)
                if excess <= 0:
                    return


async def _pages(
    db: Database, query: TextClause, protected: frozenset[ExecutionId], **values: object
) -> AsyncIterator[Sequence[ExecutionId]]:
    """The ids a query finds, page by page; each goes on where the last one ended."""
    place: dict[str, object] = {"at": 0, "after": "", "page": _PAGE_ROWS, **values}
    while found := await db.read(partial(_page, query, place)):
        place["after"], place["at"] = found[-1]
        yield [key for key, _ in found if key not in protected]


def _page(query: TextClause, values: dict[str, object], tx: Connection) -> list[tuple[ExecutionId, EpochMs]]:
    return [(key, at) for key, at in tx.execute(query, values)]


async def _delete_executions(db: Database, ids: Sequence[ExecutionId], pause: float) -> int:
    """Remove these, each commit as many as a moment allows; how many were there."""
    removed = done = 0
    while done < len(ids):
        examined, deleted = await db.write_driver(partial(_delete_some, ids[done:]))
        done, removed = done + examined, removed + deleted
        await asyncio.sleep(pause)
    await checkpoint_log(db)
    return removed


def _delete_some(ids: Sequence[ExecutionId], driver: sqlite3.Connection) -> tuple[int, int]:
    """How many of the first were gone through, and how many of these were there."""
    deadline = time.perf_counter() + WRITER_SECONDS
    removed = 0
    for examined, key in enumerate(ids):
        if (examined and time.perf_counter() > deadline) or not _delete_steps(driver, key, deadline):
            return examined, removed
        driver.execute(_RECORD_SEEN_EVENT, (key,))
        removed += driver.execute(_DELETE_EXECUTION, (key,)).rowcount
    tally.fold_if_large(driver)
    return len(ids), removed


def _delete_steps(driver: sqlite3.Connection, key: ExecutionId, deadline: float) -> bool:
    """False: there was no time for all of them; a loop may have left thousands."""
    rows = [(key, seq, attempt) for seq, attempt in driver.execute(_STEP_KEYS, (key,))]
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        if start and time.perf_counter() > deadline:
            return False
        driver.executemany(_DELETE_STEP_ROW, rows[start : start + _ROWS_AT_ONCE])
    return True
