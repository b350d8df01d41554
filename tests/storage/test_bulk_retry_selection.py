"""Which failed executions a bulk retry includes."""

import pytest
from tests.support.storage_rows import NOW

from patchbay.domain.executions import ExecutionFilter, ExecutionState, Origin
from patchbay.storage import run_queries

FAILED, FINE = ExecutionState.FAILURE, ExecutionState.SUCCESS


@pytest.fixture
async def add(workshop, store):
    """Stores one execution of a flow and gives its id."""
    flow = await workshop.flow()
    at = iter(range(NOW, NOW + 1000))

    async def one(state=FAILED, *, origin=None, kind=Origin.RETRY, of=flow, **more):
        links = {"origin_id": origin, "origin_kind": kind} if origin else {}
        event = workshop.event(of, at=next(at), state=state, **links, **more)
        await store.accept([event])
        return event.id

    return one


@pytest.fixture
def found(db):
    async def read(before=NOW + 10_000, **conditions):
        where = ExecutionFilter(**conditions)
        return list(await db.read(lambda tx: run_queries.find_executions_to_retry(tx, where, before)))

    return read


async def test_what_failed_and_matches_newest_first(add, found, workshop):
    other = await workshop.flow("Other")
    first = await add()
    await add(FINE)
    second = await add()
    elsewhere = await add(of=other)

    assert await found() == [elsewhere, second, first]
    assert await found(name="other") == [elsewhere]
    assert await found(states=(FINE,)) == []
    assert await found(states=(FINE, FAILED), flow_id=other.id) == [elsewhere]


async def test_what_fails_after_the_beginning_is_left_alone(add, found):
    before = await add()
    await add()

    assert await found(before=NOW) == [before]


async def test_tests_of_drafts_only_on_request(add, found):
    live, draft = await add(), await add(test_run=True)

    assert await found() == [live]
    assert await found(test_run=True) == [draft]


@pytest.mark.parametrize(
    "state", [FINE, ExecutionState.QUEUED, ExecutionState.WAITING, ExecutionState.FILTERED]
)
@pytest.mark.parametrize("kind", [Origin.RETRY, Origin.REPLAY])
async def test_nothing_that_was_taken_up_again(add, found, db, state, kind):
    failed = await add()
    await add(state, origin=failed, kind=kind)

    assert await found() == []
    assert await db.read(lambda tx: run_queries.is_settled_by_retry(tx, failed))


async def test_of_several_tries_in_vain_the_newest(add, found, db):
    first = await add()
    second = await add(origin=first)
    third = await add(origin=second)
    await add(ExecutionState.CANCELLED, origin=third)
    sibling = await add(origin=first)

    assert await found() == [sibling]
    assert not await db.read(lambda tx: run_queries.is_settled_by_retry(tx, first))


async def test_a_try_that_worked_settles_all_before_and_beside_it(add, found):
    first = await add()
    second = await add(origin=first)
    await add(origin=first)
    await add(FINE, origin=second)

    assert await found() == []


async def test_runs_that_a_failed_run_called_or_notified_do_not_count_as_attempts(add, found):
    failed = await add()
    await add(FINE, origin=failed, kind=Origin.CALL)
    await add(FINE, origin=failed, kind=Origin.FAILURE)

    assert await found() == [failed]
