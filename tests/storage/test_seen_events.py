"""Events that are known without an execution, and waits after the clock was set back."""

import random

from sqlalchemy import func, select, update
from tests.support.storage_rows import NOW

from patchbay.domain.engine_store import TriggerState
from patchbay.domain.trigger_sources import MAX_ID_BYTES, stored_id
from patchbay.storage.repositories import flow_versions
from patchbay.storage.tables import execution, seen_event


async def seen(db, flow_id):
    query = select(seen_event.c.internal_id).where(seen_event.c.flow_id == flow_id)
    return set(await db.read(lambda tx: tx.execute(query).scalars().all()))


async def test_what_a_trigger_saw_is_stored_with_where_it_stands(db, workshop, store):
    item = await workshop.flow()
    before = db.commits

    await store.save_trigger(TriggerState(flow_id=item.id, cursor={"seen": ["a"]}, seen=("a", "b")))

    assert db.commits == before + 1
    assert await seen(db, item.id) == {"a", "b"}
    (active,) = await store.active_triggers()
    assert active.state == TriggerState(flow_id=item.id, cursor={"seen": ["a"]})


async def test_an_event_that_was_seen_is_left_out_and_the_others_are_taken(workshop, store):
    item, other = await workshop.flow(), await workshop.flow()
    await store.save_trigger(TriggerState(flow_id=item.id, seen=("a",)))

    answer = await store.accept(
        [
            workshop.event(item, internal_id="a"),
            workshop.event(other, internal_id="a"),
            workshop.event(item, internal_id="b"),
            workshop.event(item),
            workshop.event(item, internal_id="a", test_run=True),
        ]
    )

    assert answer == (False, True, True, True, True)


async def test_events_and_what_was_seen_beside_them_come_in_one_commit(db, workshop, store):
    item = await workshop.flow()
    before = db.commits

    answer = await store.accept(
        [workshop.event(item, internal_id="a")], TriggerState(flow_id=item.id, seen=("a", "z"))
    )

    assert answer == (True,)
    assert db.commits == before + 1
    assert await store.known_ids(item.id, ["a", "z", "b"]) == {"a", "z"}


async def test_a_large_baseline_is_known_in_full(db, workshop, store):
    item = await workshop.flow()
    ids = tuple(f"id {number}" for number in range(5000))

    await db.write(lambda tx: flow_versions.reset_trigger_state(tx, TriggerState(flow_id=item.id, seen=ids)))

    assert await store.known_ids(item.id, [*ids, "new"]) == set(ids)


async def test_what_was_seen_survives_a_new_beginning(db, workshop, store):
    item = await workshop.flow()
    for ids in (("a", "b"), ("b", "c")):
        await db.write(
            lambda tx, ids=ids: flow_versions.reset_trigger_state(tx, TriggerState(flow_id=item.id, seen=ids))
        )

    assert await seen(db, item.id) == {"a", "b", "c"}


async def test_a_clock_set_back_shortens_what_waits_for_a_retry_or_a_limit_alone(db, workshop, store):
    item = await workshop.flow()
    events = {reason: workshop.event(item) for reason in ("retry", "limit", "delay", "flow")}
    await store.accept(list(events.values()))
    for reason, event in events.items():
        waits = {"status": "waiting", "waits_for": reason, "wake_at": NOW + 7_200_000}
        query = update(execution).where(execution.c.id == event.id).values(**waits)
        await db.write(lambda tx, query=query: tx.execute(query))

    await store.shorten_waits(3_600_000)

    shortened = select(execution.c.waits_for, execution.c.wake_at - NOW)
    assert dict(await db.read(lambda tx: [tuple(row) for row in tx.execute(shortened)])) == {
        "retry": 3_600_000,
        "limit": 3_600_000,
        "delay": 7_200_000,
        "flow": 7_200_000,
    }
    assert await db.read(lambda tx: tx.execute(select(func.count()).select_from(seen_event)).scalar()) == 0


async def test_the_longest_id_fits_into_the_indexes(workshop, store):
    """Random characters, which PostgreSQL can't compress, with the mark of another source."""
    item, characters = await workshop.flow(), random.Random(1)
    text = "".join(chr(characters.randrange(0x4E00, 0x9FFF)) for _ in range(MAX_ID_BYTES // 3))
    longest = stored_id(999, text)

    await store.accept(
        [workshop.event(item, internal_id=longest)], TriggerState(flow_id=item.id, seen=(f"{longest}!",))
    )

    assert await store.known_ids(item.id, [longest, f"{longest}!"]) == {longest, f"{longest}!"}
