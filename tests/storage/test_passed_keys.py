"""Keys that may pass once per period: one decision per key, and rows that go away again."""

import asyncio

import pytest
from sqlalchemy import func, select, update
from tests.support.storage_rows import NOW

from patchbay.domain.base import FlowId
from patchbay.domain.engine import Retention
from patchbay.domain.engine_store import KeyPass
from patchbay.storage import retention
from patchbay.storage.tables import flow, passed_key

FLOW, OTHER = FlowId("f1"), FlowId("f2")
HOUR = 3_600_000
KEEP_ALL = Retention(success_days=None, failure_days=None, most=None)


def asking(by, at=NOW, period=HOUR, key="k"):
    return KeyPass(key=key, passed_by=by, at=at, period_ms=period)


async def count(db):
    return await db.read(lambda tx: tx.execute(select(func.count()).select_from(passed_key)).scalar_one())


async def test_a_key_passes_once_per_period_and_flow(store):
    first = await store.pass_key(FLOW, asking("a"))
    blocked = await store.pass_key(FLOW, asking("b", NOW + HOUR - 1))
    elsewhere = await store.pass_key(OTHER, asking("b", NOW + 1))
    again = await store.pass_key(FLOW, asking("c", NOW + HOUR))
    after = await store.pass_key(FLOW, asking("d", NOW + HOUR + 1))

    assert (first, blocked, elsewhere, again, after) == (None, NOW, None, None, NOW + HOUR)


async def test_of_many_that_ask_at_once_one_passes(store):
    found = await asyncio.gather(*(store.pass_key(FLOW, asking(f"run-{n}")) for n in range(200)))

    assert sorted(found, key=str) == [NOW] * 199 + [None]


async def test_the_one_that_passed_passes_again_without_extending_the_period(store):
    await store.pass_key(FLOW, asking("a"))

    assert await store.pass_key(FLOW, asking("a", NOW + 10)) is None
    assert await store.key_passed_at(FLOW, "k") == NOW
    assert await store.pass_key(FLOW, asking("b", NOW + HOUR)) is None


async def test_a_key_without_a_period_never_passes_again(store):
    await store.pass_key(FLOW, asking("a", period=None))

    assert await store.pass_key(FLOW, asking("b", NOW + 10**12, period=None)) == NOW


async def test_the_period_of_the_one_that_asks_counts(store):
    await store.pass_key(FLOW, asking("a", period=None))

    assert await store.pass_key(FLOW, asking("b", NOW + HOUR)) is None


async def test_after_the_clock_was_set_back_a_key_waits_for_its_period_and_not_for_the_old_time(store):
    year = 365 * 24 * HOUR
    await store.pass_key(FLOW, asking("a", NOW + year))

    assert await store.pass_key(FLOW, asking("b", NOW)) == NOW + year
    assert await store.pass_key(FLOW, asking("b", NOW + HOUR - 1)) == NOW
    assert await store.pass_key(FLOW, asking("b", NOW + HOUR)) is None


async def test_a_key_that_is_unknown_has_not_passed(store):
    assert await store.key_passed_at(FLOW, "k") is None


@pytest.mark.parametrize(("later", "left"), [(HOUR - 1, 301), (HOUR, 1)])
async def test_the_clean_up_deletes_keys_whose_period_is_over(db, store, later, left):
    await asyncio.gather(*(store.pass_key(FLOW, asking("a", key=str(n))) for n in range(300)))
    await store.pass_key(FLOW, asking("a", period=None, key="for ever"))

    await retention.apply_retention(db, KEEP_ALL, NOW + later, pause=0)

    assert await count(db) == left


async def test_the_keys_of_a_flow_are_deleted_with_it(db, store, workshop):
    item = await workshop.flow()
    await asyncio.gather(
        *(store.pass_key(item.id, asking("a", period=None, key=str(n))) for n in range(300)),
        store.pass_key(OTHER, asking("a", period=None)),
    )
    deleted = update(flow).where(flow.c.id == item.id).values(deleted_at=NOW)
    await db.write(lambda tx: tx.execute(deleted))

    await retention.apply_retention(db, KEEP_ALL, NOW + 31 * 24 * HOUR, pause=0)

    assert await count(db) == 1
