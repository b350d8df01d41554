"""Retrying many failed executions: the job, without the engine behind it."""

import asyncio
from typing import Any

import pytest
from tests.support.storage_rows import NOW, Workshop

from patchbay.domain.errors import Conflict, NotFound, StorageFault
from patchbay.domain.executions import ExecutionFilter, ExecutionState, Origin
from patchbay.service.executions import MAX_FINISHED_JOBS, MAX_REASONS, BulkRetries
from patchbay.storage.database import Database
from patchbay.storage.engine_store import SqlEngineStore

ALL = ExecutionFilter()


class Retries:
    """Stands for the engine: notes what it is to retry; refuses with what is in `refusing`."""

    def __init__(self):
        self.asked, self.refusing = [], {}
        self.go = asyncio.Event()
        self.go.set()

    async def retry(self, execution_id, *, full_rights=False):
        self.asked.append(execution_id)
        await self.go.wait()
        if error := self.refusing.get(execution_id):
            raise error
        return f"again-{execution_id}"


@pytest.fixture
async def db(tmp_path):
    database = await Database.open(tmp_path / "patchbay.db")
    yield database
    await database.close()


@pytest.fixture
async def fail(db):
    """Stores so many failed executions; their ids, oldest first."""
    workshop, store = Workshop(db), SqlEngineStore(db, now=lambda: NOW)
    await workshop.prepare()
    flow = await workshop.flow()

    async def several(count: int = 1, **more: Any) -> list[Any]:
        events = [
            workshop.event(flow, at=NOW + number, state=ExecutionState.FAILURE, **more)
            for number in range(count)
        ]
        await store.accept(events)
        return [event.id for event in events]

    made: Any = several
    made.flow = flow
    made.store = store
    made.workshop = workshop
    return made


@pytest.fixture
def engine():
    return Retries()


@pytest.fixture
def retries(db, engine):
    made = BulkRetries(db, engine, lambda: NOW + 1000, pause=0)
    yield made
    made.close()


async def ended(retries, job):
    while not (now := retries.get(job.id)).finished:  # noqa: ASYNC110
        await asyncio.sleep(0)
    return now


async def test_all_are_retried_in_the_order_in_which_they_came(retries, engine, fail):
    ids = await fail(45)

    done = await ended(retries, await retries.start(ALL))

    assert engine.asked == ids
    assert (done.total, done.done, done.refused, done.cancelled) == (45, 45, 0, False)


async def test_rejected_retries_are_counted_and_each_reason_reported_once(retries, engine, fail):
    ids = await fail(30)
    engine.refusing = {item: Conflict("Its flow was deleted.") for item in ids[:15]}
    engine.refusing |= {item: Conflict(f"Reason {number}.") for number, item in enumerate(ids[15:28])}

    done = await ended(retries, await retries.start(ALL))

    assert (done.total, done.done, done.refused) == (30, 2, 28)
    assert done.reasons[:2] == ("Its flow was deleted.", "Reason 0.")
    assert len(done.reasons) == MAX_REASONS


async def test_executions_retried_by_a_user_meanwhile_are_skipped(retries, engine, fail):
    first, second = await fail(2)
    engine.go.clear()
    job = await retries.start(ALL)
    again = fail.workshop.event(fail.flow, origin_id=second, origin_kind=Origin.RETRY)
    await fail.store.accept([again])
    engine.go.set()

    done = await ended(retries, job)

    assert engine.asked == [first]
    assert (done.total, done.done) == (1, 1)


async def test_a_second_bulk_retry_gets_the_progress_of_the_first(retries, engine, fail):
    await fail(2)
    engine.go.clear()
    job = await retries.start(ALL)

    with pytest.raises(Conflict) as refused:
        await retries.start(ALL)

    assert "0 of 2" in refused.value.happened
    engine.go.set()
    await ended(retries, job)
    assert (await ended(retries, await retries.start(ALL))).done == 2


async def test_cancelling_lets_the_one_on_its_way_end_and_begins_no_more(retries, engine, fail):
    first, *_ = await fail(5)
    engine.go.clear()
    job = await retries.start(ALL)
    while not engine.asked:  # noqa: ASYNC110
        await asyncio.sleep(0)
    cancelling = asyncio.ensure_future(retries.cancel(job.id))
    await asyncio.sleep(0)
    engine.go.set()

    done = await cancelling

    assert engine.asked == [first]
    assert (done.done, done.cancelled, done.finished) == (1, True, True)
    assert await retries.cancel(job.id) == done


async def test_a_database_that_takes_nothing_ends_it_at_once(retries, engine, fail):
    first, second, *_ = await fail(4)
    engine.refusing[second] = StorageFault("The disk is full.")

    done = await ended(retries, await retries.start(ALL))

    assert engine.asked == [first, second]
    assert (done.done, done.refused, done.cancelled, done.reasons) == (1, 0, True, ("The disk is full.",))


async def test_a_fault_of_ours_leaves_no_job_that_never_ends(retries, engine, fail, caplog):
    (only,) = await fail(1)
    engine.refusing[only] = KeyError("nobody expected this")

    done = await ended(retries, await retries.start(ALL))

    assert (done.done, done.cancelled) == (0, True)
    assert "nobody expected this" in caplog.text


async def test_with_nothing_to_retry_it_is_through_at_once(retries):
    job = await retries.start(ALL)

    assert (job.total, job.finished) == (0, True)
    assert retries.get(job.id) == job


async def test_jobs_that_ended_long_ago_are_forgotten(retries):
    jobs = [await retries.start(ALL) for _ in range(MAX_FINISHED_JOBS + 1)]

    with pytest.raises(NotFound):
        retries.get(jobs[0].id)
    assert retries.get(jobs[1].id) == jobs[1]
