"""The execution counters stay correct whatever happens, and pages found with them match the list."""

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine
from tests.support.both_databases import on_postgresql_in_long_form, only_on_sqlite
from tests.support.forms import in_forms
from tests.support.fuzzing import examples
from tests.support.storage_rows import NOW
from tests.support.tallies import connected, differences, reference, scatter

from patchbay.domain.base import FlowId
from patchbay.domain.clock import DAY_MS, HOUR_MS
from patchbay.domain.errors import StorageFault
from patchbay.domain.executions import ExecutionFilter, ExecutionState, ExecutionStatus
from patchbay.domain.paging import PageRequest
from patchbay.storage import counters, executions
from patchbay.storage.database import Database
from patchbay.storage.database_copy import copy_database
from patchbay.storage.driver import driver_of
from patchbay.storage.execution_filter import ExecutionSelection
from patchbay.storage.sqlite import SqliteDriver, sqlite_of

STATES = st.sampled_from(list(ExecutionState))
TIMES = st.sampled_from([0, 5, DAY_MS - 1, DAY_MS, NOW, NOW + HOUR_MS, NOW + 40 * DAY_MS])
KEYS = st.integers(1, 4).map("run-{}".format)
DEEDS = st.one_of(
    st.tuples(st.just("arrive"), KEYS, st.sampled_from(["a", "b"]), STATES, st.booleans(), TIMES),
    st.tuples(st.just("move"), KEYS, STATES),
    st.tuples(st.just("leave"), KEYS),
    st.tuples(st.just("change"), KEYS, st.sampled_from(["a", "c"]), st.booleans(), TIMES),
    st.tuples(st.just("undo"), KEYS, STATES),
    st.tuples(st.just("fold")),
)
STATEMENTS = {
    "arrive": "INSERT INTO execution (id, flow_id, status, test_run, created_at, updated_at)"
    " VALUES (?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING",
    "move": "UPDATE execution SET status = ?2 WHERE id = ?1",
    "leave": "DELETE FROM execution WHERE id = ?",
    "change": "UPDATE execution SET flow_id = ?2, test_run = ?3, created_at = ?4 WHERE id = ?1",
}


@examples(40, of=600)
@given(deeds=st.lists(DEEDS, max_size=25))
def test_whatever_happens_to_executions_the_tally_counts_them(deeds, tmp_path):
    with connected(tmp_path / "patchbay.db") as driver:
        driver.execute("DELETE FROM execution")
        for name, *values in deeds:
            if name == "undo":
                driver.execute("SAVEPOINT deed")
                driver.execute(STATEMENTS["move"], values)
                driver.execute("ROLLBACK TO deed")
                driver.execute("RELEASE deed")
            elif name == "fold":
                counters.fold(driver)
            else:
                driver.execute(STATEMENTS[name], values)

        assert differences(driver) == []
        assert not counters.has_drifted(driver)


async def test_a_wrong_tally_is_noticed_and_counted_again(db, workshop):
    await scatter(db, workshop, 60)
    await db.write_driver(counters.fold)
    await db.write_driver(lambda driver: driver.execute("UPDATE execution_tally SET runs = runs + 1"))
    assert await db.read(lambda tx: counters.has_drifted(driver_of(tx)))

    await db.write_driver(counters.recount)

    assert not await db.read(lambda tx: counters.has_drifted(driver_of(tx)))
    assert await db.read(lambda tx: differences(driver_of(tx))) == []


@only_on_sqlite
async def test_a_copy_and_a_rewritten_file_continue_counting(db, workshop, tmp_path):
    await scatter(db, workshop, 300)
    await db.write_outside_transaction(lambda driver: driver.execute("VACUUM"))
    copy_database(Path(db.name), tmp_path / "copy.db")
    copy = await Database.open(tmp_path / "copy.db")

    for each in (db, copy):
        await each.write_driver(lambda driver: driver.execute("UPDATE execution SET status = 'failure'"))
        assert await each.read(lambda tx: differences(driver_of(tx))) == []
    await copy.close()


async def test_loading_that_fails_leaves_tally_and_triggers_as_they_were(db, workshop):
    await scatter(db, workshop, 300)

    with pytest.raises(StorageFault):
        await scatter(db, workshop, 300)  # the same executions again

    assert await db.read(lambda tx: differences(driver_of(tx))) == []
    await db.write_driver(lambda driver: driver.execute("DELETE FROM execution WHERE created_at % 3 = 0"))
    assert await db.read(lambda tx: differences(driver_of(tx))) == []


FILTERS = [
    {},
    {"status": ExecutionStatus.SUCCESS},
    {"status": ExecutionStatus.FAILURE},
    {"states": ("waiting", "failure", "queued")},
    {"states": ("running",)},
    {"states": ("waiting",), "status": ExecutionStatus.FAILURE},
    {"test_run": True},
    {"test_run": False, "status": ExecutionStatus.FAILURE},
    {"flow_id": "flow-1"},
    {"flow_id": "nobody"},
    {"name": "orders"},
    {"name": "o", "status": ExecutionStatus.SUCCESS},
    {"name": "rare", "states": ("failure", "cancelled")},
    {"user_id": "00000000-0000-4000-8000-000000000001"},
    {"user_id": "somebody-else"},
    {"folder_id": "null", "test_run": False},
    {"app_key": "slack"},
    {"app_key": "slack", "name": "rare"},
    {"note": "refused"},
]
RANGES = [
    (None, None),
    (NOW - 3 * DAY_MS, None),
    (None, NOW - DAY_MS - 12_345),
    (NOW - 5 * DAY_MS + 77, NOW - HOUR_MS),
    (NOW - HOUR_MS, NOW - HOUR_MS + 60_000),
    (NOW, NOW - DAY_MS),
    (-(2**63) + 1, 2**63 - 1),
]


@pytest.mark.parametrize("where", in_forms(FILTERS, short=FILTERS[1::3]), ids=str)
@on_postgresql_in_long_form
async def test_every_page_is_that_of_the_whole_list_read(db, workshop, where):
    await scatter(db, workshop, 400)
    rng = random.Random(str(where))

    def check(tx):
        for after, before in RANGES:
            wanted = ExecutionFilter(**where, started_after=after, ended_before=before)
            whole = reference(tx, wanted)
            for limit in (1, 7, 50):
                pages = -(-len(whole) // limit)
                for number in {1, 2, pages // 2 + 1, pages, pages + 1, rng.randint(1, pages + 1)} - {0}:
                    start = (number - 1) * limit
                    asked = PageRequest(page=number, limit=limit)
                    page = executions.list_executions(tx, wanted, asked)
                    assert ([run.id for run in page.items], page.total) == (
                        whole[start : start + limit],
                        len(whole),
                    )
                    assert (page.next_cursor is None) == (start + limit >= len(whole))
                    if page.next_cursor:
                        asked = PageRequest(cursor=page.next_cursor, limit=limit)
                        page = executions.list_executions(tx, wanted, asked)
                        assert [run.id for run in page.items] == whole[start + limit : start + 2 * limit]
                        assert page.total == len(whole)

    await db.read(check)


async def test_counts_between_two_times_add_up(db, workshop):
    await scatter(db, workshop, 300)
    rng = random.Random(7)
    choices = [
        ExecutionSelection(),
        ExecutionSelection(flows=(FlowId("flow-1"),)),
        ExecutionSelection(states=frozenset({ExecutionState.FAILURE, ExecutionState.QUEUED})),
        ExecutionSelection(flows=(FlowId("flow-1"), FlowId("flow-3")), test_run=False),
    ]

    def check(tx):
        driver = driver_of(tx)
        for selection in choices:
            for _ in range(30):
                start, end = sorted(NOW - rng.randrange(12 * DAY_MS) for _ in range(2))
                counted = counters.count_rows_between(driver, selection, start, end)
                assert counters.count_between(driver, selection, start, end) == counted
                fine = counters.spans(driver, selection, start, end, hourly=True)
                assert sum(span.runs for span in fine) == counted
                assert fine == sorted(fine, reverse=True)

    await db.read(check)


def test_a_migration_counts_what_is_there_and_makes_the_same_triggers(tmp_path):
    from alembic import command
    from tests.storage.test_migrations import script

    engine = create_engine("sqlite://", connect_args={"factory": SqliteDriver})
    put = "INSERT INTO execution (id, flow_id, status, test_run, created_at, updated_at) VALUES (?,?,?,?,?,0)"
    with engine.connect() as connection:
        command.upgrade(script(connection), "0004")
        for number, state in enumerate(ExecutionState):
            row = (f"run-{number}", f"f{number % 2}", state.value, number % 3 == 0, number * DAY_MS // 2)
            connection.exec_driver_sql(put, row)
        command.upgrade(script(connection), "head")
        driver = sqlite_of(connection)
        assert differences(driver) == []
        migrated = _triggers(driver)
    with connected(tmp_path / "new.db") as driver:
        assert _triggers(driver) == migrated != {}


def _triggers(driver):
    return dict(driver.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))


@only_on_sqlite
async def test_pages_do_not_read_what_lies_before_them(db, workshop, monkeypatch):
    """However deep a page is, the statement that finds its rows skips less than an hour's executions."""
    await scatter(db, workshop, 2000)

    def told(tx):
        statements: list[Any] = []
        sqlite_of(tx).set_trace_callback(statements.append)
        page = executions.list_executions(tx, ExecutionFilter(), PageRequest(page=140))
        sqlite_of(tx).set_trace_callback(None)
        return page, statements

    page, statements = await db.read(told)
    skipped = [int(line.rsplit("OFFSET", 1)[1]) for line in statements if "OFFSET" in line]

    assert len(page.items) == 10
    assert max(skipped) <= 60
