"""Deletes old executions and other data that is no longer needed, and frees disk space.

All of it runs beside normal work, on the same writer thread. So it comes in small steps of at most
`WRITER_SECONDS`, with pauses in which other writes are committed, and can stop after any of them.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

from sqlalchemy import Connection, TextClause, func, select, text

from patchbay.domain.base import EpochMs, ExecutionId, FlowId
from patchbay.domain.clock import DAY_MS
from patchbay.domain.engine import CleanupResult, Retention, StorageUsage
from patchbay.domain.executions import ExecutionState
from patchbay.storage import counters
from patchbay.storage.database import Database
from patchbay.storage.driver import Driver, Twin, driver_of
from patchbay.storage.execution_filter import ExecutionSelection, encode_ids
from patchbay.storage.repositories import meta
from patchbay.storage.tables import execution

MAX_FREE_SHARE = 0.05
"""Share of the file that may stay free: the space is soon used again by new executions."""
WRITER_SECONDS = 0.002
"""Time one step may occupy the writer thread, before its commit."""
PAUSE_SECONDS = 0.008
"""Pause between two steps, in which other writes are committed."""
RESTORABLE_DAYS = 30
"""Days for which deleted connections, steps, and flows can be restored."""

_log = logging.getLogger(__name__)

_BATCH_SIZE = 200
_PAGE_ROWS = 500
_STEPS_PER_CHECK = 50
"""Deleted step rows after which the time limit is checked."""
_LAST_DAILY_CLEANUP_KEY = "history.versions_checked_at"
_NOT_FAILED_STATES = (ExecutionState.SUCCESS, ExecutionState.FILTERED, ExecutionState.CANCELLED)


async def storage_usage(db: Database) -> StorageUsage:
    """Disk space used by the database, how much of it is free for reuse, and the size of the history."""

    def read(tx: Connection) -> StorageUsage:
        use = db.upkeep.disk_use(tx)
        return StorageUsage(
            bytes=use.bytes,
            free_bytes=use.free_bytes,
            executions=counters.count_all(driver_of(tx), ExecutionSelection()),
            oldest_at=tx.execute(select(func.min(execution.c.created_at))).scalar_one(),
        )

    return await db.read(read)


_DELETED_CONNECTIONS = text("SELECT id FROM connection WHERE deleted_at < :before LIMIT :most")
_DELETED_STEPS = text("""
SELECT id FROM step
WHERE deleted_at < :before AND NOT EXISTS (
    SELECT 1 FROM execution_step AS ran WHERE ran.step_id = step.id AND ran.status = 'success')
LIMIT :most
""")
"""Deleted steps are kept while an execution shows their names."""
_DELETED_FLOWS = text("""
SELECT id FROM flow
WHERE deleted_at < :before AND NOT EXISTS (SELECT 1 FROM execution WHERE execution.flow_id = flow.id)
LIMIT :most
""")
_REPLACED_VERSIONS = text("""
SELECT old.flow_id, old.number FROM flow_version AS old JOIN flow ON flow.id = old.flow_id
WHERE old.number <> coalesce(flow.published_version, 0) AND EXISTS (
    SELECT 1 FROM flow_version AS newer
    WHERE newer.flow_id = old.flow_id AND newer.number > old.number AND newer.created_at < :before)
""")
_RUN_VERSIONS = text("SELECT DISTINCT flow_version FROM execution WHERE flow_id = :flow_id")

_STILL_DELETED = "id = ? AND deleted_at < ?"
_DELETE_CONNECTION = (
    f"DELETE FROM secret WHERE connection_id IN (SELECT id FROM connection WHERE {_STILL_DELETED})",
    f"DELETE FROM connection WHERE {_STILL_DELETED}",
)
_DELETE_STEP = (f"DELETE FROM step WHERE {_STILL_DELETED}",)
_DELETE_FLOW = (
    *(
        f"DELETE FROM {table} WHERE flow_id IN (SELECT id FROM flow WHERE {_STILL_DELETED})"
        for table in ("datastore", "trigger_state", "webhook_secret", "step", "flow_version")
    ),
    f"DELETE FROM flow WHERE {_STILL_DELETED}",
)
_DELETE_SEEN_EVENTS = """
DELETE FROM seen_event WHERE (flow_id, internal_id) IN (
    SELECT flow_id, internal_id FROM seen_event WHERE flow_id = ? LIMIT ?)
"""
_DELETE_PASSED_KEYS = """
DELETE FROM passed_key WHERE (flow_id, key) IN (
    SELECT flow_id, key FROM passed_key WHERE flow_id = ? LIMIT ?)
"""
_DELETE_EXPIRED_KEYS = """
DELETE FROM passed_key WHERE (flow_id, key) IN (
    SELECT flow_id, key FROM passed_key WHERE expires_at <= ? LIMIT ?)
"""
_UNUSED_RUN_TREES = text("""
SELECT root_id FROM run_tree
WHERE NOT EXISTS (SELECT 1 FROM execution WHERE execution.id = run_tree.root_id)
  AND NOT EXISTS (SELECT 1 FROM execution WHERE execution.root_id = run_tree.root_id)
LIMIT :most
""")
_DELETE_RUN_TREE = "DELETE FROM run_tree WHERE root_id = ?"
_DELETE_VERSION = "DELETE FROM flow_version WHERE flow_id = ? AND number = ?"


async def purge(db: Database, now: EpochMs, pause: float) -> None:
    """Delete what users deleted a month ago, expired keys, and unused versions.

    Waits `pause` seconds between steps.

    Deleted flows stay as long as they have executions, which show their name and may still be running.
    """
    before = now - RESTORABLE_DAYS * DAY_MS
    values = {"before": before, "most": _BATCH_SIZE}
    for query, statements in ((_DELETED_CONNECTIONS, _DELETE_CONNECTION), (_DELETED_STEPS, _DELETE_STEP)):
        while ids := await db.read(partial(_ids, query, values)):
            await db.write_driver(_delete_still_deleted(ids, statements, before))
            await asyncio.sleep(pause)
    while ids := await db.read(partial(_ids, _DELETED_FLOWS, values)):
        for flow_id in ids:
            await _delete_rows(db, _DELETE_SEEN_EVENTS, flow_id, pause)
            await _delete_rows(db, _DELETE_PASSED_KEYS, flow_id, pause)
            await db.write_driver(_delete_still_deleted([flow_id], _DELETE_FLOW, before))
            await asyncio.sleep(pause)
    await _delete_rows(db, _DELETE_EXPIRED_KEYS, now, pause)
    await db.write_driver(counters.fold)
    await _run_daily_cleanup(db, now, pause)


def _ids(query: TextClause, values: dict[str, int], tx: Connection) -> list[str]:
    return list(tx.execute(query, values).scalars())


def _delete_still_deleted(
    ids: list[str], statements: tuple[str, ...], before: EpochMs
) -> Callable[[Driver], None]:
    """Delete rows that are still marked as deleted; one may have been restored since they were found."""

    def drop(driver: Driver) -> None:
        for statement in statements:
            driver.executemany(statement, [(key, before) for key in ids])

    return drop


async def _delete_rows(db: Database, statement: str, value: str | int, pause: float) -> None:
    """Execute a statement that deletes rows for `value`, a batch at a time, until none is left."""
    values = (value, _BATCH_SIZE)
    dropped = _BATCH_SIZE
    while dropped == _BATCH_SIZE:
        dropped = await db.write_driver(lambda driver: driver.execute(statement, values).rowcount)
        await asyncio.sleep(pause)


async def _run_daily_cleanup(db: Database, now: EpochMs, pause: float) -> None:
    """Run clean-up that scans the whole history, at most once a day."""
    checked = await db.read(lambda tx: int(meta.get(tx, _LAST_DAILY_CLEANUP_KEY) or 0))
    if now - checked < DAY_MS:
        return
    await _delete_unused_versions(db, now)
    while roots := await db.read(partial(_ids, _UNUSED_RUN_TREES, {"most": _BATCH_SIZE})):
        await db.write_driver(partial(_delete_run_trees, roots))
        await asyncio.sleep(pause)
    if await db.read(lambda tx: counters.has_drifted(driver_of(tx))):
        _log.warning("The execution counters were wrong and are rebuilt.")
        await db.write_driver(counters.recount)
    await db.write(lambda tx: meta.put(tx, _LAST_DAILY_CLEANUP_KEY, str(now)))


def _delete_run_trees(roots: list[str], driver: Driver) -> None:
    driver.executemany(_DELETE_RUN_TREE, [(root_id,) for root_id in roots])


async def _delete_unused_versions(db: Database, now: EpochMs) -> None:
    """Delete flow versions that no execution used and that were replaced at least a day ago."""

    def unused(tx: Connection) -> list[tuple[FlowId, int]]:
        replaced = [tuple(row) for row in tx.execute(_REPLACED_VERSIONS, {"before": now - DAY_MS})]
        flows = {flow_id for flow_id, _ in replaced}
        ran = {
            (flow_id, number)
            for flow_id in flows
            for number in tx.execute(_RUN_VERSIONS, {"flow_id": flow_id}).scalars()
        }
        return [found for found in replaced if found not in ran]

    found = await db.read(unused)
    for start in range(0, len(found), _BATCH_SIZE):
        await db.write_driver(partial(_delete_versions, found[start : start + _BATCH_SIZE]))


def _delete_versions(versions: list[tuple[FlowId, int]], driver: Driver) -> None:
    driver.executemany(_DELETE_VERSION, versions)


_PROTECTED = """
SELECT (SELECT newest.execution_id FROM execution_step AS newest
        WHERE newest.step_id = step.id AND newest.status = 'success'
        ORDER BY newest.finished_at DESC LIMIT 1)
FROM step JOIN flow ON flow.id = step.flow_id WHERE step.deleted_at IS NULL AND flow.deleted_at IS NULL
UNION
SELECT (SELECT newest.id FROM execution AS newest WHERE newest.flow_id = flow.id AND NOT newest.test_run
        ORDER BY newest.created_at DESC, newest.id DESC LIMIT 1)
FROM flow WHERE flow.deleted_at IS NULL
"""
"""The samples that the editor shows, and each flow's last run: kept regardless of age."""

_IS_AWAITED = """
execution.origin_kind = 'call' AND EXISTS (
    SELECT 1 FROM execution AS caller
    WHERE caller.id = execution.origin_id AND caller.status IN ('queued', 'running', 'waiting'))
"""
_EXPIRED_QUERY = text(f"""
SELECT id, created_at FROM execution
WHERE status = :state AND (created_at, id) > (:at, :after) AND created_at < :before
  AND coalesce(finished_at, updated_at) < :before AND NOT coalesce({_IS_AWAITED}, false)
ORDER BY created_at, id LIMIT :page
""")
_EXPIRED = Twin(sqlite=_EXPIRED_QUERY, postgresql=_EXPIRED_QUERY)
_OLDEST_NOT_FAILED_QUERY = f"""
SELECT id, created_at FROM execution
WHERE (created_at, id) > (:at, :after) AND {{status}} IN ('success', 'filtered', 'cancelled')
  AND NOT coalesce({_IS_AWAITED}, false)
ORDER BY created_at, id LIMIT :page
"""
_OLDEST_NOT_FAILED = Twin(
    sqlite=text(_OLDEST_NOT_FAILED_QUERY.format(status="+status")),
    postgresql=text(_OLDEST_NOT_FAILED_QUERY.format(status="status")),
)
"""The plus in `+status` disables the index by status, so that SQLite reads the index by time, in order. By
status, it would sort a million rows for each page."""

_STEP_KEYS = "SELECT seq, attempt FROM execution_step WHERE execution_id = ?"
_DELETE_STEP_ROW = "DELETE FROM execution_step WHERE execution_id = ? AND seq = ? AND attempt = ?"
_GIVEN_IDS = "SELECT key FROM json_each(?)"
_RECORD_SEEN_EVENTS = """
INSERT INTO seen_event (flow_id, internal_id)
SELECT flow_id, internal_id FROM execution
WHERE id {which} AND internal_id IS NOT NULL AND coalesce(origin_kind, '') <> 'failure'
ON CONFLICT (flow_id, internal_id) DO NOTHING
"""
"""Runs of error flows aren't recorded: the same failure can't be reported twice."""
_RECORD_SEEN_EVENT = _RECORD_SEEN_EVENTS.format(which="= ?")
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
    """Delete finished executions beyond the retention, and data no longer needed; then free disk space.

    The IDs of their events are kept, so that a repeated event is still recognised. Each flow's last run, the
    samples of its steps, and results that a calling run still waits for are kept regardless of age. Space is
    freed until `max_free_share` (0 to 1) of the file is free. `progress` is called with the number deleted so
    far. Can be cancelled at any time.
    """
    protected = await db.read(lambda tx: frozenset(tx.exec_driver_sql(_PROTECTED).scalars()))
    removed = 0
    age_limits = {ExecutionState.FAILURE: retention.failure_days}
    age_limits |= dict.fromkeys(_NOT_FAILED_STATES, retention.success_days)
    for state, days in age_limits.items():
        if days is not None:
            async for ids in _pages(db, _EXPIRED, protected, state=state, before=now - days * DAY_MS):
                removed += await _delete_executions(db, ids, pause)
                progress(removed)
    if retention.most is not None:
        async for ids in _pages_over_limit(db, retention.most, now, protected):
            removed += await _delete_executions(db, ids, pause)
            progress(removed)
    await purge(db, now, pause)
    return CleanupResult(
        removed=removed, freed_bytes=await db.upkeep.release_free_space(db, max_free_share, pause)
    )


async def _pages_over_limit(
    db: Database, most: int, now: EpochMs, protected: frozenset[ExecutionId]
) -> AsyncIterator[Sequence[ExecutionId]]:
    """Pages of executions above the limit: oldest first, failures last."""
    excess = await db.read(lambda tx: counters.count_all(driver_of(tx), ExecutionSelection())) - most
    failures = {"state": ExecutionState.FAILURE, "before": now}
    for query, values in ((_OLDEST_NOT_FAILED, {}), (_EXPIRED, failures)):
        if excess > 0:
            async for ids in _pages(db, query, protected, **values):
                yield ids[:excess]
                excess -= len(ids)
                if excess <= 0:
                    return


async def _pages(
    db: Database, query: Twin[TextClause], protected: frozenset[ExecutionId], **values: object
) -> AsyncIterator[Sequence[ExecutionId]]:
    """Pages of the IDs a query finds; each continues where the last one ended. Leaves out protected ones."""
    place: dict[str, object] = {"at": 0, "after": "", "page": _PAGE_ROWS, **values}
    while found := await db.read(partial(_page, query, place)):
        place["after"], place["at"] = found[-1]
        yield [key for key, _ in found if key not in protected]


def _page(
    query: Twin[TextClause], values: dict[str, object], tx: Connection
) -> list[tuple[ExecutionId, EpochMs]]:
    return [(key, at) for key, at in tx.execute(query.on(tx), values)]


async def _delete_executions(db: Database, ids: Sequence[ExecutionId], pause: float) -> int:
    """Delete executions, in each commit as many as `WRITER_SECONDS` allow. Returns how many existed."""
    removed = done = 0
    while done < len(ids):
        examined, deleted = await db.write_driver(partial(_delete_next, ids[done:]))
        done, removed = done + examined, removed + deleted
        await asyncio.sleep(pause)
    await db.upkeep.after_deletion(db)
    return removed


def _delete_next(ids: Sequence[ExecutionId], driver: Driver) -> tuple[int, int]:
    return _DELETE_SOME.on(driver)(ids, driver)


def _delete_on_postgresql(ids: Sequence[ExecutionId], driver: Driver) -> tuple[int, int]:
    """Return (IDs examined, executions deleted). Few statements: each is a message to the server."""
    batch = ids[:_BATCH_SIZE]
    among = (encode_ids(batch),)
    driver.execute(f"DELETE FROM execution_step WHERE execution_id IN ({_GIVEN_IDS})", among)
    driver.execute(_RECORD_SEEN_EVENTS.format(which=f"IN ({_GIVEN_IDS})"), among)
    removed = driver.execute(f"DELETE FROM execution WHERE id IN ({_GIVEN_IDS})", among).rowcount
    counters.fold_if_large(driver)
    return len(batch), removed


def _delete_on_sqlite(ids: Sequence[ExecutionId], driver: Driver) -> tuple[int, int]:
    """Return (IDs examined, executions deleted); stops when the time is up."""
    deadline = time.perf_counter() + WRITER_SECONDS
    removed = 0
    for examined, key in enumerate(ids):
        if (examined and time.perf_counter() > deadline) or not _delete_steps(driver, key, deadline):
            return examined, removed
        driver.execute(_RECORD_SEEN_EVENT, (key,))
        removed += driver.execute(_DELETE_EXECUTION, (key,)).rowcount
    counters.fold_if_large(driver)
    return len(ids), removed


def _delete_steps(driver: Driver, key: ExecutionId, deadline: float) -> bool:
    """Delete the steps of an execution. Returns False if time ran out: a loop can leave thousands."""
    rows = [(key, seq, attempt) for seq, attempt in driver.execute(_STEP_KEYS, (key,))]
    for start in range(0, len(rows), _STEPS_PER_CHECK):
        if start and time.perf_counter() > deadline:
            return False
        driver.executemany(_DELETE_STEP_ROW, rows[start : start + _STEPS_PER_CHECK])
    return True


_DELETE_SOME = Twin(sqlite=_delete_on_sqlite, postgresql=_delete_on_postgresql)
