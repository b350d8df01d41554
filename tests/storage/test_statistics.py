"""Statistics of executions, and the bulk loader that these tests use."""

import asyncio
import sqlite3

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import update
from tests.support.both_databases import only_on_sqlite
from tests.support.forms import long_form
from tests.support.fuzzing import examples
from tests.support.storage_rows import NOW, OWNER, Workshop

from patchbay.domain.base import ExecutionId
from patchbay.domain.executions import ExecutionFilter, ExecutionState, StepState
from patchbay.domain.paging import PageRequest
from patchbay.storage import executions, statistics
from patchbay.storage.bulk_load import PastExecution, PastStep, load_history
from patchbay.storage.database import Database
from patchbay.storage.driver import driver_of
from patchbay.storage.sqlite import sqlite_of
from patchbay.storage.tables import flow, folder

DAY = 86_400_000


def past(item, number, *, at=NOW, state=ExecutionState.SUCCESS, test_run=False):
    return PastExecution(
        id=ExecutionId(f"past-{number:06}"),
        flow_id=item.id,
        flow_version=1,
        status=state,
        internal_id=None,
        cursor=3,
        steps_done=3,
        steps_total=3,
        wake_at=None,
        test_run=test_run,
        note=None,
        created_at=at,
        updated_at=at + 40,
        started_at=at,
        finished_at=at + 40,
    )


def attempts(item, run, count=3):
    return [
        PastStep(run.id, seq, 1, item.steps[seq].id, StepState.SUCCESS, '{"a":1}', '{"b":2}', None, NOW, NOW)
        for seq in range(count)
    ]


@given(
    moments=st.lists(st.tuples(st.integers(0, 5000), st.sampled_from(list(ExecutionState))), max_size=60),
    start=st.integers(0, 4000),
    length=st.integers(1, 4000),
    bars=st.integers(1, 70),
)
@examples(8, of=100)
def test_the_bars_of_a_histogram_add_up_to_what_is_listed(tmp_path_factory, moments, start, length, bars):
    asyncio.run(
        _bars_add_up(tmp_path_factory.mktemp("bars"), moments, NOW + start, NOW + start + length, bars)
    )


async def _bars_add_up(folder_path, moments, start, end, bars):
    db = await Database.open(folder_path / "patchbay.db")
    workshop = Workshop(db)
    await workshop.prepare()
    item = await workshop.flow()
    await load_history(
        db, [past(item, i, at=NOW + at, state=state) for i, (at, state) in enumerate(moments)], []
    )

    found = await db.read(lambda tx: statistics.histogram(tx, ExecutionFilter(), start, end, bars))
    await db.close()

    inside = [state for at, state in moments if start <= NOW + at < end]
    assert len(found.bars) == bars
    assert found.total == len(inside)
    assert sum(bar.failure for bar in found.bars) == inside.count(ExecutionState.FAILURE)
    assert sum(bar.success for bar in found.bars) == inside.count(ExecutionState.SUCCESS)
    assert [bar.start for bar in found.bars] == [start + i * found.span_ms for i in range(bars)]


_FILTERS = st.builds(
    ExecutionFilter,
    states=st.lists(st.sampled_from(list(ExecutionState)), unique=True, max_size=3).map(tuple),
    test_run=st.sampled_from([None, False, True]),
    flow_id=st.sampled_from([None, "flow-1", "flow-2", "unknown"]),
    user_id=st.sampled_from([None, OWNER, "unknown"]),
    note=st.sampled_from([None, "late"]),
    started_after=st.none() | st.integers(NOW - 3 * DAY, NOW + 3 * DAY),
    ended_before=st.none() | st.integers(NOW - 3 * DAY, NOW + 3 * DAY),
)


@given(
    runs=st.lists(
        st.tuples(
            st.integers(-2 * DAY, 2 * DAY),
            st.sampled_from(list(ExecutionState)),
            st.booleans(),
            st.booleans(),
        ),
        max_size=40,
    ),
    filters=st.lists(_FILTERS, min_size=20, max_size=20),
)
@examples(5, of=60)
def test_counts_are_those_of_the_list(tmp_path_factory, runs, filters):
    asyncio.run(_counts_are_those_of_the_list(tmp_path_factory.mktemp("counts"), runs, filters))


async def _counts_are_those_of_the_list(folder_path, runs, filters):
    db = await Database.open(folder_path / "patchbay.db")
    workshop = Workshop(db)
    await workshop.prepare()
    flows = [await workshop.flow(), await workshop.flow()]
    known = {"flow-1": flows[0].id, "flow-2": flows[1].id}
    history = [
        past(flows[second], number, at=NOW + at, state=state, test_run=number % 3 == 0)._replace(
            note="late" if late else None
        )
        for number, (at, state, late, second) in enumerate(runs)
    ]
    await load_history(db, history, [])

    def total(tx, where):
        return executions.list_executions(tx, where, PageRequest(limit=1)).total

    def check(tx):
        for where in filters:
            where = where.model_copy(update={"flow_id": known.get(where.flow_id, where.flow_id)})
            counts = statistics.count_executions(tx, where)
            states = where.matching_states() or frozenset(ExecutionState)
            expected = {state: total(tx, where.model_copy(update={"states": (state,)})) for state in states}
            other = sum(expected.values()) - counts.success - counts.failure
            assert counts.matching == total(tx, where)
            assert counts.success == expected.get(ExecutionState.SUCCESS, 0)
            assert counts.failure == expected.get(ExecutionState.FAILURE, 0)
            assert counts.other == other
            assert counts.all == total(tx, ExecutionFilter(user_id=where.user_id))

    await db.read(check)
    await db.close()


@only_on_sqlite
async def test_counting_takes_one_statement(db, workshop):
    item = await workshop.flow()
    await load_history(db, [past(item, 1), past(item, 2, state=ExecutionState.FAILURE)], [])
    where = ExecutionFilter(
        states=(ExecutionState.SUCCESS, ExecutionState.FAILURE),
        started_after=NOW - DAY,
        ended_before=NOW + DAY,
    )
    statements: list[str] = []

    def counted(tx):
        sqlite_of(tx).set_trace_callback(statements.append)
        try:
            return statistics.count_executions(tx, where)
        finally:
            sqlite_of(tx).set_trace_callback(None)

    counts = await db.read(counted)

    assert (counts.success, counts.failure, counts.all) == (1, 1, 2)
    assert [one[:6] for one in statements] == ["SELECT"]


async def test_a_histogram_follows_the_filter_but_not_its_times(db, workshop):
    one, other = await workshop.flow(), await workshop.flow()
    await load_history(db, [past(one, 1), past(one, 2), past(other, 3)], [])
    where = ExecutionFilter(flow_id=one.id, started_after=NOW + DAY)

    found = await db.read(lambda tx: statistics.histogram(tx, where, NOW, NOW + 100, 4))

    assert found.total == 2


async def test_activity_is_the_last_run_and_twenty_marks_a_flow(db, workshop):
    busy, quiet = await workshop.flow("Busy"), await workshop.flow("Quiet")
    runs = [past(busy, i, at=NOW + i) for i in range(30)]
    runs += [
        past(busy, 30, at=NOW + 30, state=ExecutionState.FAILURE),
        past(busy, 31, at=NOW + 31, test_run=True),
    ]
    await load_history(db, runs, [])

    first, second = await db.read(lambda tx: statistics.flow_activity(tx, [quiet.id, busy.id]))

    assert (first.flow_id, first.last, first.recent) == (quiet.id, None, ())
    assert second.last.id == "past-000030"
    assert len(second.recent) == 20
    assert (second.recent[-1].state, second.recent[0].state) == ("failure", "success")
    assert second.recent[0].duration_ms == 40


async def test_folders_tell_their_week(db, workshop):
    rows = [
        {"id": key, "user_id": OWNER, "name": key, "created_at": NOW, "updated_at": NOW} for key in ("a", "b")
    ]
    await db.write(lambda tx: tx.execute(folder.insert(), rows))
    one = await workshop.flow(folder_id="a")
    loose = await workshop.flow(publish=False)
    gone = await workshop.flow(folder_id="a")
    await db.write(lambda tx: tx.execute(update(flow).where(flow.c.id == gone.id).values(deleted_at=NOW)))
    await load_history(
        db,
        [
            past(one, 1, at=NOW - 1),
            past(one, 2, at=NOW + 1, state=ExecutionState.FAILURE),
            past(one, 3, at=NOW + 2),
            past(one, 4, at=NOW + 3, test_run=True),
            past(gone, 5, at=NOW + 4),
            past(loose, 6, at=NOW - 9),
        ],
        [],
    )

    a, b, none = await db.read(lambda tx: statistics.folder_stats(tx, NOW))

    assert (a.folder_id, a.flows, a.published, a.runs, a.failures) == ("a", 1, 1, 2, 1)
    assert (b.folder_id, b.flows, b.last_run_at) == ("b", 0, None)
    assert (none.folder_id, none.flows, none.published, none.runs, none.last_run_at) == (
        None,
        1,
        0,
        0,
        NOW - 9,
    )


async def test_a_long_history_loads_and_reads_back(db, workshop):
    item = await workshop.flow()
    runs = [past(item, i, at=NOW + i * 1000) for i in range(5000)]
    steps = [step for run in runs for step in attempts(item, run)]

    await load_history(db, runs, steps)

    found = await db.read(lambda tx: executions.execution_steps(tx, ExecutionId("past-004999")))
    assert [step.data_out for step in found] == [{"b": 2}] * 3


@long_form
async def test_the_flows_of_a_filter_may_be_more_than_sqlite_has_parameters(db, workshop):
    item = await workshop.flow()
    await load_history(db, [past(item, 1), past(item, 2, state=ExecutionState.FAILURE)], [])
    number = 12_000

    def add_flows(tx):
        columns = "id, name, active, execution_interval, created_at, updated_at, user_id"
        driver_of(tx).executemany(
            f"INSERT INTO flow ({columns})"
            " SELECT ?, 'Orders', false, 15, 1, 1, user_id FROM flow WHERE id = ?",
            ((f"many-{each}", item.id) for each in range(number)),
        )
        driver_of(tx).execute("UPDATE flow SET name = 'Orders'")

    await db.write(add_flows)
    where = ExecutionFilter(name="Orders")

    def limited(read):
        def read_limited(tx):
            if tx.dialect.name != "sqlite":
                return read(tx)
            before = sqlite_of(tx).setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 11_000)
            try:
                return read(tx)
            finally:
                sqlite_of(tx).setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, before)

        return read_limited

    counts = await db.read(limited(lambda tx: statistics.count_executions(tx, where)))
    page = await db.read(limited(lambda tx: executions.list_executions(tx, where, PageRequest())))

    assert (counts.matching, counts.failure) == (2, 1)
    assert page.total == len(page.items) == 2
