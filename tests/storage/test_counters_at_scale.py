"""Counts over a long history: the counters give the same numbers as reading all executions."""

import random
from collections import Counter

import pytest
from sqlalchemy import text
from tests.support.both_databases import on_postgresql_in_long_form
from tests.support.storage_rows import NOW
from tests.support.tallies import differences, scatter

from patchbay.domain.clock import DAY_MS, HOUR_MS
from patchbay.domain.engine import Retention
from patchbay.domain.executions import ExecutionFilter, ExecutionState, ExecutionStatus
from patchbay.storage import retention, statistics
from patchbay.storage.driver import driver_of
from patchbay.storage.execution_filter import conditions
from patchbay.storage.tables import execution

SPANS = [
    (NOW - 11 * DAY_MS, NOW + 1, 60),
    (NOW - 7 * DAY_MS + 5, NOW - HOUR_MS, 24),
    (NOW - 36 * HOUR_MS, NOW, 36),
    (NOW - 10 * 60_000, NOW + 1, 10),
    (NOW - 4 * DAY_MS, NOW + 7, 1),
    (NOW - 3, NOW + 1, 60),
    (NOW // DAY_MS * DAY_MS - 6 * DAY_MS, NOW // DAY_MS * DAY_MS, 6),
]
FILTERS = [
    {},
    {"flow_id": "flow-1"},
    {"name": "o", "test_run": False},
    {"status": ExecutionStatus.SUCCESS},
    {"states": ("queued", "failure"), "flow_id": "flow-2"},
    {"states": ("running",)},
    {"states": ("running",), "status": ExecutionStatus.FAILURE},
    {"flow_id": "nobody"},
    {"note": "refused"},
]
SLOTS = {"success": "success", "failure": "failure"}


@pytest.mark.parametrize("where", FILTERS, ids=str)
@on_postgresql_in_long_form
async def test_every_bar_is_what_reading_the_executions_counts(db, workshop, where):
    await scatter(db, workshop, 500)
    wanted = ExecutionFilter(**where)

    def check(tx):
        rows = tx.execute(execution.select().where(*conditions(tx, wanted))).all()
        for start, end, bars in SPANS:
            found = statistics.histogram(tx, wanted, start, end, bars)
            counted = Counter(
                ((row.created_at - start) // found.span_ms, SLOTS.get(row.status, "other"))
                for row in rows
                if start <= row.created_at < end
            )
            assert len(found.bars) == bars
            for number, bar in enumerate(found.bars):
                told = (bar.success, bar.failure, bar.other)
                assert told == tuple(counted[number, slot] for slot in ("success", "failure", "other"))

    await db.read(check)


async def test_the_week_of_each_folder_is_what_reading_the_executions_counts(db, workshop):
    await scatter(db, workshop, 500)
    rng = random.Random(3)

    def check(tx):
        rows = [row for row in tx.execute(execution.select()) if not row.test_run]
        for since in (NOW - 7 * DAY_MS, NOW // DAY_MS * DAY_MS, NOW, *(rng.randrange(NOW) for _ in range(3))):
            recent = [row for row in rows if row.created_at >= since]
            failed = [row for row in recent if row.status == ExecutionState.FAILURE]
            [stats] = statistics.folder_stats(tx, since)
            assert (stats.runs, stats.failures) == (len(recent), len(failed))

    await db.read(check)


async def test_tidying_keeps_the_tally_true_and_mends_it_once_a_day(db, workshop):
    await scatter(db, workshop, 300)
    keep = Retention(success_days=4, failure_days=6, most=None)

    done = await retention.apply_retention(db, keep, NOW)

    assert done.removed > 100
    assert await db.read(lambda tx: differences(driver_of(tx))) == []
    left = await db.read(lambda tx: tx.execute(text("SELECT count(*) FROM execution")).scalar_one())
    assert (await retention.storage_usage(db)).executions == left
    empty = "SELECT count(*) FROM execution_tally WHERE runs = 0"
    assert await db.read(lambda tx: tx.execute(text(empty)).scalar_one()) == 0

    await db.write_driver(lambda driver: driver.execute("UPDATE execution_tally SET runs = runs + 5"))
    await retention.apply_retention(db, keep, NOW + 2 * DAY_MS)
    assert await db.read(lambda tx: differences(driver_of(tx))) == []
