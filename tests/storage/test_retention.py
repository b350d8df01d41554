"""Retention: which executions are deleted, which are kept, and that their events stay known."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import select, update
from tests.support.both_databases import on_postgresql_in_long_form, only_on_sqlite
from tests.support.forms import long_form
from tests.support.patience import PATIENCE
from tests.support.storage_rows import NOW, done

from patchbay.domain.engine import Retention
from patchbay.domain.engine_store import RunTransition
from patchbay.domain.executions import ExecutionState, Origin, StepState
from patchbay.storage import executions, retention, sqlite_file
from patchbay.storage.tables import execution, execution_step, seen_event

DAY = 86_400_000
KEEP_ALL = Retention(success_days=None, failure_days=None, most=None)
SUCCESS, FAILURE = ExecutionState.SUCCESS, ExecutionState.FAILURE


@pytest.fixture
def ended(db, store, workshop):
    """Stores a finished execution of a flow, so many days old; its id."""

    async def end(flow, days, state=SUCCESS, **more):
        at = NOW - int(days * DAY)
        event = workshop.event(flow, at=at, **more)
        await store.accept([event])
        row = {"status": state, "finished_at": at, "updated_at": at}
        query = update(execution).where(execution.c.id == event.id).values(**row)
        await db.write(lambda tx: tx.execute(query))
        return event.id

    return end


async def tidy(db, **keep):
    return await retention.apply_retention(db, KEEP_ALL.model_copy(update=keep), NOW, pause=0)


async def left(db):
    query = select(execution.c.id).order_by(execution.c.id)
    return await db.read(lambda tx: list(tx.execute(query).scalars()))


async def seen(db):
    query = select(seen_event.c.internal_id).order_by(seen_event.c.internal_id)
    return await db.read(lambda tx: list(tx.execute(query).scalars()))


async def fill(db, store, workshop, flow):
    """200 executions of 20 kB, 40 days old."""
    for number in range(200):
        await store.accept([workshop.event(flow, at=NOW - 40 * DAY + number, state=SUCCESS)])
    query = update(execution_step).values(output=f'"{"x" * 20_000}"')
    await db.write(lambda tx: tx.execute(query))


async def test_well_ended_ones_go_by_their_age_and_failures_by_theirs(db, workshop, ended):
    flow = await workshop.flow()
    for state in (SUCCESS, ExecutionState.FILTERED, ExecutionState.CANCELLED):
        await ended(flow, 31, state)
    young, failed = await ended(flow, 29), await ended(flow, 31, FAILURE)
    await ended(flow, 61, FAILURE)

    result = await tidy(db, success_days=30, failure_days=60)

    assert await left(db) == [young, failed]
    assert result.removed == 4


async def test_nothing_goes_while_everything_is_to_be_kept(db, workshop, ended):
    flow = await workshop.flow()
    kept = [await ended(flow, days) for days in (3000, 2000, 1)]

    assert (await tidy(db)).removed == 0
    assert await left(db) == kept


async def test_what_ended_lately_stays_although_it_began_long_ago(db, workshop, ended):
    flow = await workshop.flow()
    slow, _ = await ended(flow, 100), await ended(flow, 1)
    lately = update(execution).where(execution.c.id == slow).values(finished_at=NOW - DAY)
    await db.write(lambda tx: tx.execute(lately))

    await tidy(db, success_days=30)

    assert slow in await left(db)


@pytest.mark.parametrize("state", ["queued", "running", "waiting"])
async def test_unfinished_ones_stay_however_old(db, workshop, ended, state):
    flow = await workshop.flow()
    old = await ended(flow, 3000, ExecutionState(state))
    await ended(flow, 1)

    await tidy(db, success_days=1, failure_days=1)

    assert old in await left(db)


@long_form
async def test_beyond_the_number_kept_the_oldest_go_first_and_failures_last(db, workshop, ended):
    flow = await workshop.flow()
    failures = [await ended(flow, 900 + number / 100, FAILURE) for number in range(3)]
    well = [await ended(flow, 500 - number / 10) for number in range(1_004)]

    assert (await tidy(db, most=1_000)).removed == 7
    assert await left(db) == sorted([*failures, *well[7:]])


@long_form
@on_postgresql_in_long_form
async def test_when_only_failures_are_left_the_oldest_of_them_go(db, workshop, ended):
    flow = await workshop.flow()
    failures = [await ended(flow, 500 - number / 10, FAILURE) for number in range(1_002)]

    assert (await tidy(db, most=1_000)).removed == 2
    assert await left(db) == sorted(failures[2:])


async def test_an_event_stays_known_when_its_execution_is_gone(db, store, workshop, ended):
    flow = await workshop.flow()
    await ended(flow, 40, internal_id="order-1")
    await ended(flow, 1)

    await tidy(db, success_days=30)

    assert await seen(db) == ["order-1"]
    assert await store.known_ids(flow.id, ["order-1", "order-2"]) == {"order-1"}
    assert await store.accept([workshop.event(flow, internal_id="order-1")]) == (False,)


async def test_what_a_failure_started_needs_no_memory(db, workshop, ended):
    flow = await workshop.flow()
    old = await ended(flow, 40, internal_id="failure-run-1")
    await ended(flow, 1)
    of_failure = update(execution).where(execution.c.id == old).values(origin_kind=Origin.FAILURE)
    await db.write(lambda tx: tx.execute(of_failure))

    assert (await tidy(db, success_days=30)).removed == 1
    assert await seen(db) == []


async def test_the_steps_go_with_their_execution(db, store, workshop, ended):
    flow = await workshop.flow()
    await ended(flow, 40)
    young = await ended(flow, 1)

    await tidy(db, success_days=30)

    query = select(execution_step.c.execution_id)
    assert await db.read(lambda tx: list(tx.execute(query).scalars())) == [young]


async def test_a_flow_keeps_its_last_run_and_the_samples_of_its_steps(db, store, workshop, ended):
    flow = await workshop.flow()
    event = workshop.event(flow, at=NOW - 400 * DAY)
    await store.accept([event])
    run = await store.claim(event.id, "token", NOW - 400 * DAY)
    for seq in (1, 2):
        then = RunTransition(state=SUCCESS if seq == 2 else ExecutionState.RUNNING, cursor=seq + 1)
        await store.outcome(run, done(flow, seq, at=NOW - 400 * DAY), then)
    last = await ended(flow, 390, FAILURE)

    await tidy(db, success_days=30, failure_days=30)

    assert await left(db) == sorted([event.id, last])
    samples = await db.read(lambda tx: executions.latest_samples(tx, flow.id))
    assert [item.step.position for item in samples] == [1, 2, 3]


async def test_an_answer_stays_while_the_calling_run_waits_for_it(db, workshop, ended):
    flow, other = await workshop.flow(), await workshop.flow("Called")
    caller = await ended(flow, 50, ExecutionState.WAITING)
    answer = await ended(other, 40)
    await ended(other, 1)
    await ended(flow, 1)
    called = {"origin_kind": Origin.CALL, "origin_id": caller, "origin_seq": 1}
    query = update(execution).where(execution.c.id == answer).values(**called)
    await db.write(lambda tx: tx.execute(query))

    await tidy(db, success_days=30)
    assert answer in await left(db)

    over = update(execution).where(execution.c.id == caller).values(status=FAILURE)
    await db.write(lambda tx: tx.execute(over))
    await tidy(db, success_days=30)
    assert answer not in await left(db)


@only_on_sqlite
async def test_one_with_thousands_of_steps_goes_in_several_commits(db, workshop, ended, monkeypatch):
    flow = await workshop.flow()
    old, _ = await ended(flow, 40), await ended(flow, 1)
    rows = [
        {"execution_id": old, "seq": seq, "attempt": 1, "step_id": "x", "status": StepState.SUCCESS}
        for seq in range(1, 2_001)
    ]
    await db.write(lambda tx: tx.execute(execution_step.insert(), rows))
    monkeypatch.setattr(retention, "WRITER_SECONDS", 0)
    before = db.commits

    assert (await tidy(db, success_days=30)).removed == 1
    assert db.commits - before >= 2_000 // 50
    assert len(await left(db)) == 1


@long_form
@on_postgresql_in_long_form
async def test_progress_is_reported(db, workshop, ended):
    flow = await workshop.flow()
    for number in range(600):
        await ended(flow, 40 + number / 1000)
    await ended(flow, 1)
    told: list[Any] = []

    keep = Retention(success_days=30)
    await retention.apply_retention(db, keep, NOW, told.append, pause=0)

    assert told == [500, 600]


@only_on_sqlite
async def test_the_disk_gets_its_space_back(db, store, workshop):
    flow = await workshop.flow()
    await fill(db, store, workshop, flow)
    before = await retention.storage_usage(db)

    result = await tidy(db, success_days=30)

    after = await retention.storage_usage(db)
    assert (before.executions, after.executions) == (200, 1)
    assert (before.oldest_at, after.oldest_at) == (NOW - 40 * DAY, NOW - 40 * DAY + 199)
    assert after.free_bytes == 0
    assert result.freed_bytes > 3_000_000
    assert after.bytes < before.bytes - 3_000_000
    assert await db.integrity_check() == ()


@only_on_sqlite
async def test_a_part_may_stay_free_for_what_comes_next(db, store, workshop):
    flow = await workshop.flow()
    await fill(db, store, workshop, flow)

    await retention.apply_retention(db, Retention(success_days=30), NOW, max_free_share=0.5, pause=0)

    assert (await retention.storage_usage(db)).free_bytes > 1_000_000


@only_on_sqlite
async def test_the_engine_leaves_a_little_free(db, store, workshop):
    flow = await workshop.flow()
    await fill(db, store, workshop, flow)

    result = await store.apply_retention(Retention(success_days=30), NOW)

    assert result.removed == 199
    assert 0 < (await retention.storage_usage(db)).free_bytes < 500_000


@only_on_sqlite
async def test_on_a_busy_computer_space_is_freed_page_by_page(db, store, workshop, monkeypatch):
    """Without time for more than one page at once."""
    monkeypatch.setattr(sqlite_file, "_WRITER_SECONDS", 0.0)
    await fill(db, store, workshop, await workshop.flow())

    await retention.apply_retention(db, Retention(success_days=30), NOW, pause=0)

    assert (await retention.storage_usage(db)).free_bytes == 0


async def test_a_reader_in_the_middle_of_a_long_read_holds_nothing_up(db, workshop, ended):
    flow = await workshop.flow()
    for number in range(50):
        await ended(flow, 40 + number)
    loop = asyncio.get_running_loop()

    def slow(tx):
        tx.execute(select(execution.c.id)).fetchmany(1)
        return asyncio.run_coroutine_threadsafe(tidy(db, success_days=30), loop).result(timeout=PATIENCE)

    assert (await db.read(slow)).removed == 49
