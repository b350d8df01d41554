"""Outcomes of steps that can be repeated are stored with the next write of their run."""

import asyncio

import pytest
from sqlalchemy import func, select
from tests.support.storage_rows import NOW, done

from patchbay.domain.engine_store import RunTransition
from patchbay.domain.errors import StorageFault
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.storage import deferred_outcomes
from patchbay.storage.driver import Twin
from patchbay.storage.tables import execution, execution_step

END = RunTransition(state=ExecutionState.SUCCESS, cursor=3)


def on(cursor):
    return RunTransition(state=ExecutionState.RUNNING, cursor=cursor)


@pytest.fixture
def unhurried(monkeypatch):
    """No run defers for too long, however slow this machine is."""
    monkeypatch.setattr(deferred_outcomes, "MAX_SECONDS", 60.0)


async def started(workshop, store):
    item = await workshop.flow()
    event = workshop.event(item)
    await store.accept([event])
    return item, await store.claim(event.id, "mine", NOW + 1)


async def stored(db, run):
    """The state and the cursor of a run, and how many steps are stored."""
    row = select(execution.c.status, execution.c.cursor).where(execution.c.id == run.id)
    steps = select(func.count()).where(execution_step.c.execution_id == run.id)
    return await db.read(lambda tx: (*tx.execute(row).one(), tx.execute(steps).scalar_one()))


async def read_only(db, how):
    setting = Twin(sqlite="PRAGMA query_only", postgresql="SET default_transaction_read_only")
    await db.write_outside_transaction(lambda driver: driver.execute(f"{setting.on(driver)} = {how}"))


@pytest.mark.usefixtures("unhurried")
async def test_a_deferred_outcome_is_stored_with_the_next_one(db, workshop, store):
    item, run = await started(workshop, store)
    before = db.commits

    await store.defer_outcome(run, done(item, 1), on(2))
    await store.outcome(run, done(item, 2), END)

    assert db.commits == before + 1
    assert await stored(db, run) == ("success", 3, 3)


@pytest.mark.usefixtures("unhurried")
async def test_it_is_stored_with_the_intent_of_a_step_that_is_about_to_be_called(db, workshop, store):
    item, run = await started(workshop, store)
    before = db.commits

    await store.defer_outcome(run, done(item, 1), on(2))
    assert await store.intent(run, done(item, 2, status=StepState.RUNNING, data_out=None))

    assert db.commits == before + 1
    assert await stored(db, run) == ("running", 2, 3)


@pytest.mark.usefixtures("unhurried")
async def test_it_is_stored_as_soon_as_the_run_waits_for_something(db, workshop, store):
    item, run = await started(workshop, store)

    await store.defer_outcome(run, done(item, 1), on(2))
    while await stored(db, run) != ("running", 2, 2):
        pass

    assert await store.outcome(run, done(item, 2), END)
    assert await stored(db, run) == ("success", 3, 3)


async def test_a_run_that_defers_for_long_is_stored_in_between(db, workshop, store, monkeypatch):
    monkeypatch.setattr(deferred_outcomes, "MAX_SECONDS", -1.0)
    item, run = await started(workshop, store)

    await store.defer_outcome(run, done(item, 1), on(2))
    await store.defer_outcome(run, done(item, 2), on(3))

    assert await stored(db, run) == ("running", 3, 3)


@pytest.mark.usefixtures("unhurried")
async def test_another_token_rejects_it_like_any_outcome(db, workshop, store):
    item, run = await started(workshop, store)
    await store.release(NOW + 2)

    await store.defer_outcome(run, done(item, 1), on(2))

    assert not await store.outcome(run, done(item, 2), END)
    assert await stored(db, run) == ("queued", 1, 1)


@pytest.mark.usefixtures("unhurried")
async def test_it_survives_a_write_that_fails(db, workshop, store):
    item, run = await started(workshop, store)
    await store.defer_outcome(run, done(item, 1), on(2))
    await read_only(db, "on")
    with pytest.raises(StorageFault):
        await store.outcome(run, done(item, 2), END)
    await read_only(db, "off")

    assert await store.outcome(run, done(item, 2), END)

    assert await stored(db, run) == ("success", 3, 3)


@pytest.mark.usefixtures("unhurried")
async def test_it_survives_its_own_write_that_fails(db, workshop, store):
    item, run = await started(workshop, store)
    await read_only(db, "on")
    await store.defer_outcome(run, done(item, 1), on(2))
    await asyncio.sleep(0)
    with pytest.raises(StorageFault):
        await store.intent(run, done(item, 2, status=StepState.RUNNING, data_out=None))
    await read_only(db, "off")

    assert await store.outcome(run, done(item, 2), END)

    assert await stored(db, run) == ("success", 3, 3)


@pytest.mark.usefixtures("unhurried")
async def test_a_new_claim_drops_what_the_interrupted_run_deferred(db, workshop, store):
    item, run = await started(workshop, store)
    await store.defer_outcome(run, done(item, 1), on(2))
    await store.release(NOW + 2)

    again = await store.claim(run.id, "another", NOW + 3)

    assert (again.cursor, again.attempt, len(again.finished_steps)) == (1, 1, 1)
    assert await store.outcome(again, done(item, 1), on(2))
    assert await stored(db, run) == ("running", 2, 2)
