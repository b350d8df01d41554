"""One person can't use up the computer by testing steps over and over."""

import asyncio

import pytest
from tests.support.engine_runtime import EngineRuntime
from tests.support.toy_apps import flow

from patchbay.domain.audit_log import Actor, ActorKind, current_actor
from patchbay.domain.base import StepId, UserId
from patchbay.domain.errors import Conflict, RateLimited
from patchbay.domain.request_context import caller_disconnected
from patchbay.engine.manual.draft_tests import (
    MAX_CONCURRENT_TESTS,
    MAX_CONCURRENT_TESTS_PER_PERSON,
    MAX_WAITING_TESTS_PER_PERSON,
    TestSlots,
)


class Crowd:
    """Tests that last until they are let go."""

    def __init__(self) -> None:
        self.slots = TestSlots()
        self.running: list[str] = []
        self.ended = asyncio.Event()

    async def test(self, who: str) -> None:
        current_actor.set(Actor(kind=ActorKind.KEY, name=who, id=f"key of {who}", user_id=UserId(who)))
        async with self.slots.acquire():
            self.running.append(who)
            await self.ended.wait()

    async def begin(self, who: str, number: int) -> list[asyncio.Task[None]]:
        tasks = [asyncio.create_task(self.test(who)) for _ in range(number)]
        for _ in range(10):
            await asyncio.sleep(0)
        return tasks


async def test_tests_of_one_person_leave_places_to_others():
    crowd = Crowd()
    tasks = await crowd.begin("Eve", 12)
    assert crowd.running == ["Eve"] * MAX_CONCURRENT_TESTS_PER_PERSON
    tasks += await crowd.begin("Ada", 1)
    assert crowd.running[-1] == "Ada"

    for number in range(4):
        tasks += await crowd.begin(f"person {number}", 4)
    assert len(crowd.running) == MAX_CONCURRENT_TESTS

    crowd.ended.set()
    await asyncio.gather(*tasks)
    assert len(crowd.running) == len(tasks)


async def test_a_cancelled_waiter_leaves_the_queue():
    crowd = Crowd()
    tasks = await crowd.begin("Eve", MAX_CONCURRENT_TESTS_PER_PERSON + MAX_WAITING_TESTS_PER_PERSON)
    (refused,) = await crowd.begin("Eve", 1)
    with pytest.raises(RateLimited, match="20 tests running or waiting"):
        await refused

    tasks[-1].cancel()
    (waits,) = await crowd.begin("Eve", 1)
    assert not waits.done()
    crowd.ended.set()
    await asyncio.gather(*tasks[:-1], waits)
    assert len(crowd.running) == MAX_CONCURRENT_TESTS_PER_PERSON + MAX_WAITING_TESTS_PER_PERSON


async def test_a_test_whose_caller_disconnects_leaves_the_queue():
    crowd, gone = Crowd(), asyncio.Event()
    tasks = await crowd.begin("Eve", MAX_CONCURRENT_TESTS_PER_PERSON)

    async def until_gone() -> None:
        await gone.wait()

    caller_disconnected.set(until_gone)
    (waits,) = await crowd.begin("Eve", 1)
    gone.set()
    with pytest.raises(Conflict, match="disconnected"):
        await waits
    caller_disconnected.set(None)

    tasks += await crowd.begin("Eve", MAX_WAITING_TESTS_PER_PERSON)  # its turn in the queue is free again
    crowd.ended.set()
    await asyncio.gather(*tasks)
    assert len(crowd.running) == MAX_CONCURRENT_TESTS_PER_PERSON + MAX_WAITING_TESTS_PER_PERSON


async def test_steps_are_tested_a_few_at_a_time(runtime: EngineRuntime):
    draft = flow("hook", "wait")
    await runtime.shelf.draft(draft)
    places = runtime.engine._components.test_runs._slots
    async with places.acquire(), places.acquire(), places.acquire(), places.acquire():
        test = asyncio.create_task(runtime.engine.test_step(draft, StepId("f1-1"), {}))
        _, waiting = await asyncio.wait([test], timeout=0.2)
        assert waiting == {test}
    await asyncio.wait_for(test, 30)
