"""The system clock is set: no run starts twice or waits longer, and delays keep their length."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.support.engine_runtime import FLOW_1, EngineRuntime, Seen
from tests.support.toy_apps import flow, too_many

from patchbay.domain.executions import ExecutionState
from patchbay.engine.cron import next_time

BERLIN = ZoneInfo("Europe/Berlin")
SECOND = 1_000
MINUTE = 60_000
HOUR = 3_600_000
WAITING = ExecutionState.WAITING


class Wall:
    """The house's clock, which this sets, and time itself, which nobody can."""

    def __init__(self, runtime: EngineRuntime) -> None:
        self.runtime = runtime
        self.seconds = 1000.0

    def monotonic(self) -> float:
        return self.seconds

    async def passes(self, ms: int) -> None:
        self.seconds += ms / 1000
        await self.runtime.pass_time(ms)
        await self.runtime.settle()

    async def is_set(self, ms: int) -> None:
        await self.runtime.pass_time(ms)
        await self.runtime.settle()

    async def advance_to(self, at: int) -> None:
        await self.passes(at - self.runtime.clock.now)


@pytest.fixture
async def wall(runtime: EngineRuntime) -> Wall:
    """An engine that sees both clocks."""
    made = Wall(runtime)
    await runtime.engine.stop()
    runtime.new_engine(monotonic=made.monotonic)
    await runtime.engine.start()
    await runtime.settle()
    return made


async def published(runtime: EngineRuntime, *what: Any, **more: Any) -> None:
    await runtime.publish(flow(*what), **more)
    await runtime.settle()


async def due(runtime: EngineRuntime) -> int:
    return (await runtime.shelf.trigger(FLOW_1)).next_due_at or 0


async def newest(runtime: EngineRuntime) -> Seen:
    return (await runtime.all())[-1]


async def test_a_schedule_whose_clock_is_set_back_an_hour_repeats_no_start_and_misses_none(
    runtime: EngineRuntime, wall: Wall
):
    await published(runtime, "clock", "echo")
    first = await due(runtime)
    await wall.advance_to(first)
    await runtime.one()

    await wall.is_set(-HOUR)
    assert await due(runtime) == first
    await wall.passes(HOUR)
    assert len(await runtime.all()) == 1
    assert await due(runtime) == first + HOUR
    await wall.passes(HOUR)

    assert [one.step(0).data_out["at"] for one in await runtime.until_all(2)] == [first, first + HOUR]


async def test_a_poll_does_not_wait_for_the_time_to_come_again(runtime: EngineRuntime, wall: Wall):
    await published(runtime, "poll", "echo", interval=15)

    await wall.is_set(-HOUR)

    assert await due(runtime) == runtime.clock.now + 15 * MINUTE


async def test_a_poll_that_was_asked_to_wait_waits_as_long_as_was_asked(runtime: EngineRuntime, wall: Wall):
    await published(runtime, "poll", "echo", interval=1)
    runtime.toy.refusal = too_many(600)
    await wall.passes(MINUTE)

    await wall.passes(200 * SECOND)
    await wall.is_set(-HOUR)

    assert await due(runtime) == runtime.clock.now + 400 * SECOND
    runtime.toy.refusal = None
    await wall.passes(400 * SECOND)
    assert runtime.toy.calls.count("poll") == 3


async def test_a_retry_comes_after_its_pause_all_the_same(runtime: EngineRuntime, wall: Wall):
    await published(runtime, "hook", "refuse")
    runtime.toy.refusal = too_many(600)
    await runtime.post()
    waits = await runtime.one(WAITING)
    assert waits.wake_at == runtime.clock.now + 600 * SECOND

    await wall.is_set(-HOUR)
    runtime.toy.refusal = None
    await wall.passes(599 * SECOND)
    assert (await newest(runtime)).state is WAITING
    await wall.passes(SECOND)

    assert (await runtime.one()).state is ExecutionState.SUCCESS


async def test_a_delay_ends_at_the_time_that_was_promised(runtime: EngineRuntime, wall: Wall):
    await published(runtime, "hook", ("delay", {"ms": str(2 * HOUR)}), "echo")
    await runtime.post()
    promised = (await runtime.one(WAITING)).wake_at

    await wall.is_set(-HOUR)

    assert (await newest(runtime)).wake_at == promised


async def test_a_clock_set_forward_is_an_absence(runtime: EngineRuntime, wall: Wall):
    await published(runtime, "clock", "echo")
    first = await due(runtime)

    await wall.is_set(3 * HOUR)

    late = await runtime.one()
    assert late.note == "Caught up once: 3 starts were missed while Patchbay wasn't running."
    assert await due(runtime) == next_time("0 * * * *", first + 2 * HOUR, BERLIN)


async def test_small_corrections_of_the_clock_move_nothing(runtime: EngineRuntime, wall: Wall):
    await published(runtime, "hook", "refuse")
    runtime.toy.refusal = too_many(600)
    await runtime.post()
    before = (await runtime.one(WAITING)).wake_at

    for _ in range(3):
        await wall.is_set(-4 * SECOND)

    assert (await newest(runtime)).wake_at == before


async def test_a_jump_is_reported_in_the_log(
    runtime: EngineRuntime, wall: Wall, caplog: pytest.LogCaptureFixture
):
    await wall.is_set(-HOUR)
    await wall.is_set(2 * HOUR)

    assert [record.getMessage() for record in caplog.records if "clock" in record.getMessage()] == [
        "The clock was set back by 1:00:00. Due times are recalculated.",
        "The clock was set forward, or the computer slept, by 2:00:00. Due times are recalculated.",
    ]


async def test_what_all_of_patchbay_missed_while_paused_says_so(runtime: EngineRuntime, wall: Wall):
    await published(runtime, "clock", "echo")
    runtime.engine.pause()
    await wall.passes(3 * HOUR + 7 * MINUTE)
    assert await runtime.all() == []

    runtime.engine.resume()

    assert (await runtime.one()).note == "Caught up once: 3 starts were missed while Patchbay was paused."
