"""Polls know what came before over the whole history, keep their place while held, and give services air."""

import asyncio
import random
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import delete, func, insert, select
from tests.support.engine_runtime import FLOW_1, EngineRuntime
from tests.support.toy_apps import flow, late

from patchbay.domain.base import FlowId
from patchbay.domain.clock import HOUR_MS
from patchbay.domain.engine_store import NewExecution, TriggerState
from patchbay.domain.errors import StorageFault
from patchbay.domain.executions import ExecutionState
from patchbay.engine.triggers import polling as polls
from patchbay.engine.triggers import scheduler
from patchbay.integration import polling
from patchbay.storage import codec
from patchbay.storage.tables import execution, execution_step, seen_event

QUARTER = 15 * 60_000
MINUTE = 60_000
ECHO: Any = ("echo", {"say": "{{step.f1-0.text}}"})
MANY = [(str(number), f"item {number}") for number in range(5000, 0, -1)]


def polled(runtime: EngineRuntime) -> int:
    return runtime.toy.calls.count("poll")


async def in_place(runtime: EngineRuntime, flow_id: FlowId = FLOW_1) -> int:
    """When it is polled next, once that is known."""

    async def ahead() -> bool:
        return ((await runtime.shelf.trigger(flow_id)).next_due_at or 0) > runtime.clock.now

    await runtime.until_true(ahead)
    return (await runtime.shelf.trigger(flow_id)).next_due_at or 0


async def publish(runtime: EngineRuntime, *what: Any, number: int = 1, **settings: Any) -> None:
    await runtime.publish(flow(*what, number=number), **settings)
    await in_place(runtime)


async def next_poll(runtime: EngineRuntime, ms: int = QUARTER) -> None:
    """Let the time pass and wait until the poll is through."""
    before = polled(runtime)
    await runtime.pass_time(ms)
    await runtime.until(lambda: polled(runtime) == before + 1)
    await in_place(runtime)


async def seen_ids(runtime: EngineRuntime) -> int:
    query = select(func.count()).select_from(seen_event)
    return int(await runtime.shelf.db.read(lambda tx: tx.execute(query).scalar_one()))


async def test_thousands_of_old_items_never_run_in_whatever_order_they_come(runtime: EngineRuntime):
    runtime.toy.items = list(MANY)
    await publish(runtime, "poll", ECHO)
    shuffled = [*MANY[300:], *MANY[:300]]
    random.Random(7).shuffle(shuffled)
    runtime.toy.items = [("5001", "new"), *MANY[2000:], *shuffled]

    await next_poll(runtime)

    assert (await runtime.one()).step(0).data_out == {"text": "new"}
    assert await seen_ids(runtime) == 5000


async def test_new_items_between_old_ones_that_moved_up_run(runtime: EngineRuntime):
    runtime.toy.items = list(MANY)
    await publish(runtime, "poll", ECHO)
    runtime.toy.items = [*MANY[1000:1500], ("x", "between"), *MANY[1500:], *MANY[:1000]]

    await next_poll(runtime)

    assert (await runtime.one()).step(0).data_out == {"text": "between"}


async def test_new_items_beyond_what_one_poll_takes_run_after_the_next_polls(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(polling, "MAX_ITEMS", 10)
    runtime.toy.items = [("0", "item 0")]
    await publish(runtime, "listed", ECHO)
    runtime.toy.items = [(str(number), f"item {number}") for number in range(25, -1, -1)]

    await next_poll(runtime)
    runtime.toy.items = [("26", "item 26"), *runtime.toy.items]
    for _ in range(4):
        await next_poll(runtime)

    await runtime.until_all(26)
    texts = [run.step(0).data_out["text"] for run in await runtime.all()]
    assert sorted(texts) == sorted(f"item {number}" for number in range(1, 27))
    assert "unfinished" not in (await runtime.shelf.trigger(FLOW_1)).cursor


async def test_where_a_poll_stands_stays_small(runtime: EngineRuntime):
    runtime.toy.items = list(MANY)
    await publish(runtime, "poll", ECHO)
    await next_poll(runtime)
    runtime.toy.items = [(f"n{number}", "new") for number in range(300)]

    await next_poll(runtime)

    seen: Any = (await runtime.shelf.trigger(FLOW_1)).cursor["seen"]
    assert len(seen) == polls.MAX_REMEMBERED_IDS


async def test_an_item_whose_execution_is_no_longer_kept_does_not_run_again(runtime: EngineRuntime):
    await publish(runtime, "poll", ECHO)
    runtime.toy.items = [("1", "one")]
    await next_poll(runtime)
    await runtime.one()

    def forget(tx):
        tx.execute(delete(execution_step))
        tx.execute(delete(execution))
        tx.execute(insert(seen_event).values(flow_id="f1", internal_id="1"))

    await runtime.shelf.db.write(forget)
    runtime.toy.items = [
        ("2", "two"),
        *((f"gone-{number}", "") for number in range(polls.MAX_REMEMBERED_IDS)),
        ("1", "one"),
    ]
    await next_poll(runtime)

    texts = {one.step(0).data_out["text"] for one in await runtime.all()}
    assert texts == {"two", ""}


async def test_publishing_again_runs_neither_what_ran_nor_what_came_meanwhile(runtime: EngineRuntime):
    runtime.toy.items = [("1", "one")]
    await publish(runtime, "poll", ECHO)
    runtime.toy.items = [("2", "two"), ("1", "one")]
    await next_poll(runtime)
    await runtime.one()
    await runtime.shelf.unpublish(FLOW_1)
    runtime.toy.items = [("3", "three")]
    await publish(runtime, "poll", ECHO, number=2)

    runtime.toy.items = [("4", "four"), ("2", "two"), ("1", "one"), ("3", "three")]
    await next_poll(runtime)

    texts = [one.step(0).data_out["text"] for one in await runtime.until_all(2)]
    assert texts == ["two", "four"]


async def test_a_paused_flow_is_neither_polled_nor_watched_and_loses_nothing(runtime: EngineRuntime):
    await runtime.publish(flow("watched", ECHO))
    await runtime.until(lambda: runtime.toy.listening == 1 and polled(runtime) == 2)
    await runtime.settle()
    await runtime.shelf.store.pause_flow(FLOW_1, "A person did.", runtime.clock.now)
    runtime.engine.triggers_changed()
    await runtime.until(lambda: runtime.toy.listening == 0)

    runtime.toy.items = [("1", "one")]
    await runtime.pass_time(QUARTER)
    await runtime.settle()
    runtime.toy.items = [("2", "two"), ("1", "one")]
    await runtime.pass_time(QUARTER)
    await runtime.settle()
    assert polled(runtime) == 2
    assert await runtime.all() == []

    await runtime.shelf.resume_flow(FLOW_1)
    runtime.engine.triggers_changed()
    texts = [one.step(0).data_out["text"] for one in await runtime.until_all(2)]
    assert texts == ["one", "two"]
    assert runtime.toy.listening == 1


async def test_failing_polls_come_less_and_less_often_and_as_before_when_they_work(runtime: EngineRuntime):
    await publish(runtime, "poll", ECHO)
    runtime.toy.refusal = late()
    pauses = []
    for _ in range(6):
        await next_poll(runtime, await in_place(runtime) - runtime.clock.now)
        pauses.append(await in_place(runtime) - runtime.clock.now)

    assert [pause // MINUTE for pause in pauses] == [15, 15, 30, 60, 75, 75]
    runtime.toy.refusal = None
    await next_poll(runtime, pauses[-1])
    await runtime.until_due(FLOW_1, runtime.clock.now + QUARTER)


async def test_changing_other_flows_does_not_hurry_a_failing_poll(runtime: EngineRuntime):
    await publish(runtime, "poll", ECHO)
    runtime.toy.refusal = late()
    for _ in range(4):
        await next_poll(runtime, await in_place(runtime) - runtime.clock.now)

    await runtime.publish(flow("hook", "echo", flow_id="f2"))

    await runtime.until_due(FLOW_1, runtime.clock.now + 4 * QUARTER)


async def test_what_could_not_be_stored_is_polled_again_and_nothing_is_lost(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch
):
    await publish(runtime, "poll", ECHO)
    runtime.toy.items = [("1", "one")]
    accept, refused = runtime.shelf.store.accept, asyncio.Event()

    async def full(*_args: object) -> tuple[bool, ...]:
        refused.set()
        raise StorageFault("The disk is full.")

    monkeypatch.setattr(runtime.shelf.store, "accept", full)
    await runtime.pass_time(QUARTER)
    await refused.wait()
    monkeypatch.setattr(runtime.shelf.store, "accept", accept)
    assert polled(runtime) == 2

    await next_poll(runtime, scheduler.RETRY_AFTER_MS)

    assert (await runtime.one()).state is ExecutionState.SUCCESS


@pytest.mark.parametrize("may_be_the_data", [False, True])
async def test_a_start_that_could_not_be_stored_is_made_up_for(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch, may_be_the_data: bool
):
    await publish(runtime, "clock", "echo")
    due = await in_place(runtime)
    accept, refused = runtime.shelf.store.accept, asyncio.Event()
    attempts = [1, 2] if may_be_the_data else [1]  # the second one without the state of the trigger

    async def full(*_args: object) -> tuple[bool, ...]:
        if attempts.pop() == 1:
            refused.set()
        fault = StorageFault("The disk is full.")
        fault.may_be_the_data = may_be_the_data
        raise fault

    monkeypatch.setattr(runtime.shelf.store, "accept", full)
    await runtime.pass_time(due - runtime.clock.now)
    await refused.wait()
    monkeypatch.setattr(runtime.shelf.store, "accept", accept)

    await runtime.pass_time(scheduler.RETRY_AFTER_MS)

    assert (await runtime.one()).step(0).data_out["at"] == due


async def test_a_poll_that_never_ends_times_out_and_is_reported(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(polls, "POLL_TIMEOUT_SECONDS", 0.02)
    await publish(runtime, "poll", ECHO)
    runtime.toy.polls_hang = True

    await runtime.pass_time(QUARTER)

    failed = await runtime.one()
    assert failed.step(0).error["kind"] == "TimedOut"
    assert "timed out after" in failed.note


async def test_hanging_polls_hold_up_no_schedule(runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(scheduler, "MAX_CONCURRENT_POLLS", 2)
    await runtime.engine.stop()
    runtime.new_engine()
    await runtime.engine.start()
    for number in range(4):
        await runtime.publish(flow("poll", "echo", flow_id=f"p{number}"), interval=1)
    await publish(runtime, "clock", "echo")
    runtime.toy.polls_hang = True

    due = await in_place(runtime)
    await runtime.pass_time(due - runtime.clock.now)

    assert (await runtime.one()).note is None


async def test_an_item_too_large_to_store_is_reported_once_and_delays_no_other(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(codec, "PAYLOAD_LIMIT", 1000)
    await publish(runtime, "poll", ECHO)
    runtime.toy.items = [("3", "three"), ("2", "x" * 2000), ("1", "one")]
    await next_poll(runtime)

    await next_poll(runtime)

    seen = await runtime.until_all(3)
    assert sorted(one.state.value for one in seen) == ["failure", "success", "success"]
    failed = next(one for one in seen if one.state is ExecutionState.FAILURE)
    assert failed.step(0).error["kind"] == "PayloadTooLarge"


def reject_item(runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch, internal_id: str) -> None:
    """Let the database reject executions of this item, as for a value that it can't store."""
    accept = runtime.shelf.store.accept

    async def reject(events: Sequence[NewExecution], trigger: TriggerState | None = None) -> list[bool]:
        if any(event.internal_id == internal_id for event in events):
            fault = StorageFault("The database reported an error.")
            fault.may_be_the_data = True
            raise fault
        return list(await accept(events, trigger))

    monkeypatch.setattr(runtime.shelf.store, "accept", reject)


async def test_an_item_that_the_database_rejects_delays_no_other_and_is_reported(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as rejecting:
        reject_item(runtime, rejecting, "2")
        await publish(runtime, "poll", ECHO)
        runtime.toy.items = [("3", "three"), ("2", "two"), ("1", "one")]
        await next_poll(runtime)
        await next_poll(runtime)
        seen = await runtime.until_all(3)

    assert sorted(one.state.value for one in seen) == ["failure", "success", "success"]
    assert "The database reported an error." in [one.note for one in seen]

    await next_poll(runtime, HOUR_MS)

    assert len(await runtime.until_all(4)) == 4
