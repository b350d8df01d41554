"""Deleting data that is no longer needed: resources deleted a month ago, and unused flow versions."""

import pytest
from sqlalchemy import delete as sql_delete
from sqlalchemy import func, insert, select, update
from tests.support.storage_rows import NOW, OWNER

from patchbay.domain.base import ExecutionId
from patchbay.domain.engine import Retention
from patchbay.domain.engine_store import RunTree
from patchbay.domain.errors import RunTreeFull
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowVersion
from patchbay.storage import retention
from patchbay.storage.repositories import flow_versions, flows
from patchbay.storage.tables import (
    connection,
    datastore,
    execution,
    flow,
    flow_version,
    run_tree,
    secret,
    seen_event,
    step,
    trigger_state,
)

ROOT = ExecutionId("root")

DAY = 86_400_000
KEEP_ALL = Retention(success_days=None, failure_days=None, most=None)


async def clear(db, now=NOW):
    await retention.apply_retention(db, KEEP_ALL, now, pause=0)


async def count(db, table):
    return await db.read(lambda tx: tx.execute(select(func.count()).select_from(table)).scalar_one())


async def delete(db, table, key, days):
    query = update(table).where(table.c.id == key).values(deleted_at=NOW - days * DAY)
    await db.write(lambda tx: tx.execute(query))


@pytest.mark.parametrize(("days", "left"), [(29, 1), (31, 0)])
async def test_a_deleted_connection_and_its_secret_are_cleared_after_a_month(db, workshop, days, left):
    row = {"id": "c", "user_id": OWNER, "app_key": "a", "created_at": NOW, "updated_at": NOW}
    sealed = {"connection_id": "c", "format": 1, "key_id": "k", "nonce": b"n", "ciphertext": b"x"}
    await db.write(lambda tx: tx.execute(insert(connection).values(**row)))
    await db.write(lambda tx: tx.execute(insert(secret).values(**sealed)))
    await delete(db, connection, "c", days)

    await clear(db)

    assert (await count(db, connection), await count(db, secret)) == (left, left)


async def test_what_is_not_deleted_stays(db, workshop):
    await workshop.flow()

    await clear(db, NOW + 1000 * DAY)

    assert (await count(db, flow), await count(db, step), await count(db, flow_version)) == (1, 3, 1)


async def test_a_deleted_step_stays_as_long_as_a_test_shows_it(db, store, workshop):
    item = await workshop.flow()
    event = workshop.event(item, flow_version=None, test_run=True, state=ExecutionState.SUCCESS)
    await store.accept([event])
    trigger, action = item.steps[0].id, item.steps[1].id
    for key in (trigger, action):
        await delete(db, step, key, 40)

    await clear(db)

    left = await db.read(lambda tx: set(tx.execute(select(step.c.id)).scalars()))
    assert (trigger in left, action in left) == (True, False)


async def test_a_deleted_flow_is_cleared_with_all_that_is_its(db, workshop):
    item, other = await workshop.flow(), await workshop.flow("Other")
    for key in (item.id, other.id):
        seen = [{"flow_id": key, "internal_id": str(number)} for number in range(450)]
        kept = {"flow_id": key, "key": "k", "value": "1", "updated_at": NOW}
        await db.write(lambda tx, rows=seen: tx.execute(insert(seen_event), rows))
        await db.write(lambda tx, row=kept: tx.execute(insert(datastore).values(**row)))
        await db.write(lambda tx, key=key: tx.execute(insert(trigger_state).values(flow_id=key)))
    await delete(db, flow, item.id, 31)

    await clear(db)

    tables = (flow, step, flow_version, datastore, trigger_state, seen_event)
    assert [await count(db, table) for table in tables] == [1, 3, 1, 1, 1, 450]
    assert await db.integrity_check() == ()


async def test_a_deleted_flow_stays_as_long_as_an_execution_shows_its_name(db, store, workshop):
    item = await workshop.flow()
    await store.accept([workshop.event(item, at=NOW - 50 * DAY, state=ExecutionState.SUCCESS)])
    await delete(db, flow, item.id, 40)
    await clear(db)
    assert await count(db, flow) == 1

    await retention.apply_retention(db, Retention(success_days=30), NOW, pause=0)

    assert (await count(db, execution), await count(db, flow)) == (0, 0)


async def test_a_run_that_still_waits_keeps_its_deleted_flow(db, store, workshop):
    item = await workshop.flow()
    await store.accept([workshop.event(item, at=NOW - 50 * DAY)])
    await delete(db, flow, item.id, 40)

    await retention.apply_retention(db, Retention(success_days=1, failure_days=1), NOW, pause=0)

    assert (await count(db, execution), await count(db, flow_version)) == (1, 1)


async def test_a_flow_brought_back_stays(db, workshop):
    item = await workshop.flow()
    await delete(db, flow, item.id, 40)
    await db.write(lambda tx: flows.restore(tx, item.id, NOW))

    await clear(db)

    assert await count(db, flow) == 1


async def publish(db, item, number, at):
    version = FlowVersion(flow_id=item.id, number=number, name=item.name, steps=item.steps, created_at=at)
    await db.write(lambda tx: flow_versions.add(tx, version))


async def numbers(db):
    query = select(flow_version.c.number).order_by(flow_version.c.number)
    return await db.read(lambda tx: list(tx.execute(query).scalars()))


async def test_replaced_versions_that_nothing_ran_are_cleared(db, store, workshop):
    item = await workshop.flow()
    for number in (2, 3, 4, 5):
        await publish(db, item, number, NOW - (10 - number) * DAY)
    published = update(flow).where(flow.c.id == item.id).values(published_version=4)
    await db.write(lambda tx: tx.execute(published))
    await store.accept([workshop.event(item, flow_version=2, at=NOW - 8 * DAY)])

    await clear(db)

    assert await numbers(db) == [2, 4, 5]


async def test_a_version_replaced_a_moment_ago_stays_for_what_is_on_its_way(db, workshop):
    item = await workshop.flow()
    await publish(db, item, 2, NOW - 1000)

    await clear(db)

    assert await numbers(db) == [1, 2]


async def test_versions_are_looked_through_once_a_day(db, workshop):
    item = await workshop.flow()
    await clear(db)
    await publish(db, item, 2, NOW - 3 * DAY)

    await clear(db, NOW + DAY // 2)
    assert await numbers(db) == [1, 2]

    await clear(db, NOW + DAY)
    assert await numbers(db) == [1, 2]  # published is still the first

    live = update(flow).where(flow.c.id == item.id).values(published_version=2)
    await db.write(lambda tx: tx.execute(live))
    await clear(db, NOW + 2 * DAY)
    assert await numbers(db) == [2]


async def test_the_count_of_a_tree_outlives_its_executions_but_not_all_of_them(db, workshop, store):
    item = await workshop.flow()
    tree = RunTree(ROOT, 3)
    first, second, third = (workshop.event(item, tree=tree) for _ in range(3))
    await store.accept([first, second])
    await db.write(lambda tx: tx.execute(sql_delete(execution).where(execution.c.id == first.id)))

    await clear(db)
    with pytest.raises(RunTreeFull):
        await store.accept([third])

    await db.write(lambda tx: tx.execute(sql_delete(execution)))
    await clear(db, NOW + 2 * DAY)
    assert await db.read(lambda tx: tx.execute(select(run_tree)).all()) == []


async def test_a_run_beyond_the_limit_of_its_tree_leaves_nothing_in_its_commit(db, workshop, store):
    item = await workshop.flow()
    begin = [workshop.event(item, tree=RunTree(ROOT, 2)) for _ in range(2)]

    with pytest.raises(RunTreeFull):
        await store.accept(begin)

    assert await db.read(lambda tx: tx.execute(select(run_tree)).all()) == []
    assert await db.read(lambda tx: tx.execute(select(execution)).all()) == []
