"""Somebody sets the clock: nothing starts twice or waits longer, and delays keep their word."""

from zoneinfo import ZoneInfo

import pytest
from tests.support.engine_house import House, Seen
from tests.support.toy_apps import flow, too_many

from patchbay.domain.executions import ExecutionState
from patchbay.engine.scheduler.cron import next_time

BERLIN = ZoneInfo("Europe/Berlin")
SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000
WAITING = ExecutionState.WAITING


class Wall:
    """The house's clock, which this sets, and time itself, which nobody can."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.seconds = 1000.0

    def monotonic(self) -> float:
        return self.seconds

    async def passes(self, ms: int) -> None:
        self.seconds += ms / 1000
        await self.house.pass_time(ms)
        await self.house.settle()

    async def is_set(self, ms: int) -> None:
        await self.house.pass_time(ms)
        await self.house.settle()

    async def until(self, at: int) -> None:
        await self.passes(at - self.house.clock.now)


@pytest.fixture
async def wall(house: House) -> Wall:
    """An engine that sees both clocks."""
    made = Wall(house)
    await house.engine.stop()
    house.new_engine(monotonic=made.monotonic)
    await house.engine.start()
    await house.settle()
    return made


async def published(house: House, *what: object, **more: int) -> None:
    await house.publish(flow(*what), **more)
    await house.settle()


async def due(house: House) -> int:
    return (await house.shelf.trigger("f1")).next_due_at or 0


async def newest(house: House) -> Seen:
    return (await house.all())[-1]


async def test_a_schedule_whose_clock_is_set_back_an_hour_repeats_no_start_and_misses_none(
    house: House, wall: Wall
):
    await published(house, "clock", "echo")
    first = await due(house)
    await wall.until(first)
    await house.one()

    await wall.is_set(-HOUR)
    assert await due(house) == first
    await wall.passes(HOUR)
    assert len(await house.all()) == 1
    assert await due(house) == first + HOUR
    await wall.passes(HOUR)

    assert [one.step(0).data_out["at"] for one in await house.until_all(2)] == [first, first + HOUR]


async def test_a_poll_does_not_wait_for_the_time_to_come_again(house: House, wall: Wall):
    await published(house, "poll", "echo", interval=15)

    await wall.is_set(-HOUR)

    assert await due(house) == house.clock.now + 15 * MINUTE


async def test_a_poll_that_was_asked_to_wait_waits_as_long_as_was_asked(house: House, wall: Wall):
    await published(house, "poll", "echo", interval=1)
    house.toy.refusal = too_many(600)
    await wall.passes(MINUTE)

    await wall.passes(200 * SECOND)
    await wall.is_set(-HOUR)

    assert await due(house) == house.clock.now + 400 * SECOND
    house.toy.refusal = None
    await wall.passes(400 * SECOND)
    assert house.toy.calls.count("poll") == 3


async def test_a_retry_comes_after_its_pause_all_the_same(house: House, wall: Wall):
    await published(house, "hook", "refuse")
    house.toy.refusal = too_many(600)
    await house.post()
    waits = await house.one(WAITING)
    assert waits.wake_at == house.clock.now + 600 * SECOND

    await wall.is_set(-HOUR)
    house.toy.refusal = None
    await wall.passes(599 * SECOND)
    assert (await newest(house)).state is WAITING
    await wall.passes(SECOND)

    assert (await house.one()).state is ExecutionState.SUCCESS


async def test_a_delay_ends_at_the_time_that_was_promised(house: House, wall: Wall):
    await published(house, "hook", ("delay", {"ms": str(2 * HOUR)}), "echo")
    await house.post()
    promised = (await house.one(WAITING)).wake_at

    await wall.is_set(-HOUR)

    assert (await newest(house)).wake_at == promised


async def test_a_clock_set_forward_is_an_absence(house: House, wall: Wall):
    await published(house, "clock", "echo")
    first = await due(house)

    await wall.is_set(3 * HOUR)

    late = await house.one()
    assert late.note == "Caught up once: 3 starts were missed while Patchbay was not running."
    assert await due(house) == next_time("0 * * * *", first + 2 * HOUR, BERLIN)


async def test_small_corrections_of_the_clock_move_nothing(house: House, wall: Wall):
    await published(house, "hook", "refuse")
    house.toy.refusal = too_many(600)
    await house.post()
    before = (await house.one(WAITING)).wake_at

    for _ in range(3):
        await wall.is_set(-4 * SECOND)

    assert (await newest(house)).wake_at == before


async def test_a_jump_is_told_in_the_log(house: House, wall: Wall, caplog: pytest.LogCaptureFixture):
    await wall.is_set(-HOUR)
    await wall.is_set(2 * HOUR)

    assert [record.getMessage() for record in caplog.records if "clock" in record.getMessage()] == [
        "The clock was set back by 1:00:00: what is due is found out anew.",
        "The clock was set forward, or the computer slept, by 2:00:00: what is due is found out anew.",
    ]


async def test_what_all_of_patchbay_missed_while_paused_says_so(house: House, wall: Wall):
    await published(house, "clock", "echo")
    house.engine.pause()
    await wall.passes(3 * HOUR + 7 * MINUTE)
    assert await house.all() == []

    house.engine.resume()

    assert (await house.one()).note == "Caught up once: 3 starts were missed while Patchbay was paused."
