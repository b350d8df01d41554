"""What nothing needs any more: things deleted a month ago, and versions of flows that no execution ran."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from functools import partial

from sqlalchemy import Connection, TextClause, text

from patchbay.domain.base import EpochMs, FlowId
from patchbay.storage import tally
from patchbay.storage.database import Database
from patchbay.storage.repositories import meta
from patchbay.storage.sqlite import driver_of

_log = logging.getLogger(__name__)

RESTORABLE_DAYS = 30
"""Days for which what was deleted could be brought back."""

_DAY = 86_400_000
_BATCH_SIZE = 200
_LAST_DAILY_CLEANUP_KEY = "history.versions_checked_at"

_DELETED_CONNECTIONS = text("SELECT id FROM connection WHERE deleted_at < :before LIMIT :most")
_DELETED_STEPS = text("""
SELECT id FROM step
WHERE deleted_at < :before AND NOT EXISTS (
    SELECT 1 FROM execution_step AS ran WHERE ran.step_id = step.id AND ran.status = 'success')
LIMIT :most
""")
"""Tests show a step's name by its row, so it stays as long as they do."""
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
        for table in ("datastore", "trigger_state", "step", "flow_version")
    ),
    f"DELETE FROM flow WHERE {_STILL_DELETED}",
)
_DELETE_SEEN_EVENTS = """
DELETE FROM seen_event WHERE flow_id = ? AND internal_id IN (
    SELECT internal_id FROM seen_event WHERE flow_id = ? LIMIT ?)
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
    """Remove all of it, a little at a time with `pause` seconds between. May be cut off anywhere.

    Deleted flows stay as long as there are executions of them, which show their name and may have to run on.
    """
    before = now - RESTORABLE_DAYS * _DAY
    values = {"before": before, "most": _BATCH_SIZE}
    for query, statements in ((_DELETED_CONNECTIONS, _DELETE_CONNECTION), (_DELETED_STEPS, _DELETE_STEP)):
        while ids := await db.read(partial(_ids, query, values)):
            await db.write_driver(_delete_still_deleted(ids, statements, before))
            await asyncio.sleep(pause)
    while ids := await db.read(partial(_ids, _DELETED_FLOWS, values)):
        for flow_id in ids:
            await _delete_seen_events(db, flow_id, pause)
            await db.write_driver(_delete_still_deleted([flow_id], _DELETE_FLOW, before))
            await asyncio.sleep(pause)
    await db.write_driver(tally.fold)
    await _run_daily_cleanup(db, now, pause)


def _ids(query: TextClause, values: dict[str, int], tx: Connection) -> list[str]:
    return list(tx.execute(query, values).scalars())


def _delete_still_deleted(
    ids: list[str], statements: tuple[str, ...], before: EpochMs
) -> Callable[[sqlite3.Connection], None]:
    """Remove rows that are still deleted; somebody may have brought one back meanwhile."""

    def drop(driver: sqlite3.Connection) -> None:
        for statement in statements:
            driver.executemany(statement, [(key, before) for key in ids])

    return drop


async def _delete_seen_events(db: Database, flow_id: FlowId, pause: float) -> None:
    values = (flow_id, flow_id, _BATCH_SIZE)
    dropped = _BATCH_SIZE
    while dropped == _BATCH_SIZE:
        dropped = await db.write_driver(lambda driver: driver.execute(_DELETE_SEEN_EVENTS, values).rowcount)
        await asyncio.sleep(pause)


async def _run_daily_cleanup(db: Database, now: EpochMs, pause: float) -> None:
    """What takes a scan of the history."""
    checked = await db.read(lambda tx: int(meta.get(tx, _LAST_DAILY_CLEANUP_KEY) or 0))
    if now - checked < _DAY:
        return
    await _delete_unused_versions(db, now)
    await _delete_unused_run_trees(db, pause)
    if await db.read(lambda tx: tally.has_drifted(driver_of(tx))):
        _log.warning("The tally of executions was wrong and is counted anew.")
        await db.write_driver(tally.recount)
    await db.write(lambda tx: meta.put(tx, _LAST_DAILY_CLEANUP_KEY, str(now)))


async def _delete_unused_run_trees(db: Database, pause: float) -> None:
    """Counts of trees of which no execution is left."""
    while roots := await db.read(partial(_ids, _UNUSED_RUN_TREES, {"most": _BATCH_SIZE})):
        await db.write_driver(partial(_delete_run_trees, roots))
        await asyncio.sleep(pause)


def _delete_run_trees(roots: list[str], driver: sqlite3.Connection) -> None:
    driver.executemany(_DELETE_RUN_TREE, [(root_id,) for root_id in roots])


async def _delete_unused_versions(db: Database, now: EpochMs) -> None:
    """Versions replaced a day ago or more that no execution ran."""

    def unused(tx: Connection) -> list[tuple[FlowId, int]]:
        replaced = [tuple(row) for row in tx.execute(_REPLACED_VERSIONS, {"before": now - _DAY})]
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


def _delete_versions(versions: list[tuple[FlowId, int]], driver: sqlite3.Connection) -> None:
    driver.executemany(_DELETE_VERSION, versions)
