"""Full-text search in the data of steps, errors, and notes."""

import asyncio
import threading
import time
from dataclasses import replace
from typing import Any

import pytest
from tests.support.patience import PATIENCE
from tests.support.storage_rows import NOW, done
from tests.support.tallies import scatter

from patchbay.domain.engine_store import RunTransition
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.executions import ExecutionFilter, ExecutionState, ExecutionStatus, StepState
from patchbay.storage import search as searching
from patchbay.storage.search import search

DATA = {
    "plain": {"customer": "Ada Lovelace", "total": 42},
    "umlaut": {"customer": "Jürgen GROSSMANN", "street": "Höhenstraße 7"},
    "cyrillic": {"заказ": "Принят"},
    "quoted": {"text": 'she said "hello"\nand left\\', "rate": "100%_sure [x] *?"},
    "chinese": {"name": "订单"},
    "broken": {"half": "\ud83d and ä"},
}


@pytest.fixture
async def history(db, workshop, store):
    """One execution for each of DATA, in this order, a second apart; and one that failed, with a note."""
    item = await workshop.flow("Orders")
    for age, (name, data) in enumerate(DATA.items()):
        event = workshop.event(item, at=NOW + age * 1000, state=ExecutionState.SUCCESS)
        trigger = replace(event.trigger, data_in=None, data_out=data)
        await store.accept([replace(event, id=name, trigger=trigger)])
    event = replace(workshop.event(item, at=NOW + 60_000, note="Der Dienst antwortet nicht."), id="failed")
    await store.accept([event])
    run = await store.claim("failed", "mine", NOW)
    failure = done(
        item,
        1,
        status=StepState.FAILURE,
        data_in={"sent": "Needle"},
        data_out=None,
        error={"happened": "Zurückgewiesen", "status": 422},
    )
    await store.outcome(
        run,
        failure,
        RunTransition(state=ExecutionState.FAILURE, cursor=2, note="Der Dienst antwortet nicht."),
    )
    return item


async def found(db, text, cursor=None, **where):
    page = await db.read(lambda tx: search(tx, text, ExecutionFilter(**where), cursor, budget=60))
    return [run.id for run in page.items]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ada lovelace", ["plain"]),
        ("LOVE", ["plain"]),
        ("customer", ["umlaut", "plain"]),
        ("JÜRGEN", ["umlaut"]),
        ("höhenSTRAßE", ["umlaut"]),
        ("ПРИНЯТ", ["cyrillic"]),
        ("Заказ", ["cyrillic"]),
        ("订单", ["chinese"]),
        ('said "hello"', ["quoted"]),
        ('hello"\nand', ["quoted"]),
        ("left\\", ["quoted"]),
        ("100%_", ["quoted"]),
        ("0%s", []),
        ("1_0", []),
        ("[x] *?", ["quoted"]),
        ("ü*n", []),
        ("ü?gen", []),
        ("[ü]", []),
        ('"total":42', ["plain"]),
        ('"status": 422', ["failed"]),
        ("zurückGEWIESEN", ["failed"]),
        ("needle", ["failed"]),
        ("antwortet NICHT", ["failed"]),
        ("a\0", []),
        ("nowhere", []),
    ],
)
async def test_a_text_is_found_wherever_it_is(db, history, text, expected):
    assert await found(db, text) == expected


async def test_half_a_character_in_the_text_breaks_nothing(db, history):
    assert await found(db, "nowhere \ud83d") == []


async def test_the_conditions_of_the_filter_hold_too(db, workshop, history):
    assert await found(db, "e", flow_id=history.id, status=ExecutionStatus.FAILURE) == ["failed"]
    assert await found(db, "e", note="dienst") == await found(db, "e", note="Dienst") == ["failed"]
    assert await found(db, "customer", ended_before=NOW) == ["plain"]
    assert await found(db, "customer", name="nothing like it") == []
    assert await found(db, "customer", states=("running",)) == []


async def test_an_empty_or_endless_text_is_refused(db, history):
    for text in ("", "  ", "x" * 501):
        with pytest.raises(ValidationFailed, match=r"Enter a text|Use at most 500"):
            await found(db, text)
    with pytest.raises(ValidationFailed, match="isn't valid for the list"):
        await found(db, "x", cursor="bm9uc2Vuc2U=")


@pytest.mark.parametrize("where", [{}, {"name": "o"}, {"note": "e"}, {"status": ExecutionStatus.FAILURE}])
async def test_stretches_follow_each_other_without_a_gap(db, workshop, where):
    """However short they are: every execution is looked through once, newest first."""
    await scatter(db, workshop, 250)

    def stretches(tx):
        cursor = None
        items: list[Any] = []
        searched = 0
        reached = []
        while True:
            page = search(tx, "refused", ExecutionFilter(**where), cursor, budget=-1)
            items += page.items
            searched += page.searched
            if page.reached is not None:
                reached.append(page.reached)
            if page.next_cursor is None:
                return items, searched, reached
            assert page.searched == 1
            cursor = page.next_cursor

    def whole(tx):
        return search(tx, "refused", ExecutionFilter(**where), None, budget=60)

    items, searched, reached = await db.read(stretches)
    complete = await db.read(whole)

    assert searched >= len(items) > 0
    assert reached == sorted(reached, reverse=True)
    if complete.next_cursor is None:
        assert (complete.searched, complete.items) == (searched, tuple(items))
    else:
        assert complete.items == tuple(items)[: searching.MAX_FOUND]


async def test_a_stretch_ends_with_enough_finds(db, workshop, monkeypatch):
    await scatter(db, workshop, 100)
    monkeypatch.setattr(searching, "MAX_FOUND", 3)

    page = await db.read(lambda tx: search(tx, "refused", ExecutionFilter(), None, budget=60))

    assert len(page.items) == 3
    assert page.next_cursor is not None
    assert page.reached == page.items[-1].created_at


async def test_a_writer_does_not_wait_for_a_search(db, workshop, store, history):
    """A write in the middle of a stretch is committed before the stretch ends, which does not see it."""
    event = workshop.event(history, at=NOW + 99_000, state=ExecutionState.SUCCESS)

    def reading(tx):
        page = search(tx, "customer", ExecutionFilter(), None)
        committed.set()
        ends = time.monotonic() + PATIENCE
        while not stored.is_set() and time.monotonic() < ends:
            pass
        again = search(tx, "number", ExecutionFilter(), None)
        return page, again

    committed, stored = threading.Event(), threading.Event()
    task = asyncio.create_task(db.read(reading))
    await asyncio.to_thread(committed.wait, 5)
    await store.accept([event])
    stored.set()
    page, again = await task

    assert len(page.items) == 2
    assert event.id not in [run.id for run in again.items]
